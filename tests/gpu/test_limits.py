"""What a device cannot do runs elsewhere and says why; what it can do has no seams where work is split."""

import os

import numpy as np
import pytest

from kcheck.runtime.errors import RunError
from tests.gpu.launches import device, is_software, launch, result, run
from tests.support import backend_named

COUNTING = """
kernel limits.counting@1 {
  requires { field.read; field.write; }
  input rounds: Rows<Int>;
  output result: Rows<Int>;
  compute {
    var x = 1;
    for i in 0..sample(rounds) { x = x * 1664525 + 1013904223; }
    return x;
  }
}
"""
GROUP = """
kernel limits.turn@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  group LANES { return exchange(sample(values), LANES - 1 - lane()); }
}
"""
WIDE = """
kernel limits.wide@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  group 1024 {
    let k = sample(values);
    let all = exchange([k; 16], 1023 - lane());
    return all[0] + all[15];
  }
}
"""
SCAN = """
kernel limits.scan@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  scan over values with y = 1 {
    var x = y;
    for i in 0..ROUNDS { x = x * 1664525 + sample(values); }
    return x;
  }
}
"""
INDEX = """
kernel limits.index@1 { requires { field.write; } output result: Rows<Int>; compute { return index() * 3; } }
"""


def counted(rounds: int) -> int:
    x = 1
    for _ in range(rounds):
        x = (x * 1664525 + 1013904223) % 2**32
    return (x + 2**31) % 2**32 - 2**31


def test_long_loops() -> None:
    """Some drivers leave loops silently after 65,535 rounds."""
    outcome = run(COUNTING, rounds=np.array([3, 100_000, 0], np.int32))
    assert outcome.outputs["result"].data.tolist() == [counted(3), counted(100_000), 1]
    if device().traits.rounds is None:
        assert outcome.fallback is None
    else:
        assert outcome.fallback is not None
        assert "loops longer" in outcome.fallback
        assert outcome.backend in ("jit", "interpreter")


def test_loops_within_the_limit_stay() -> None:
    assert result(COUNTING, rounds=np.arange(7000, 7100, dtype=np.int32)).tolist() == [
        counted(n) for n in range(7000, 7100)
    ]


@pytest.mark.parametrize(("rounds", "count"), [(0, 150_000), (1, 100_000), (100, 2_000), (20_000, 9)])
def test_long_scans(rounds: int, count: int) -> None:
    """A walk is cut into dispatches, by its steps and by the rounds within them."""
    values = np.arange(count, dtype=np.int32)
    x, wanted = 1, []
    for value in values.tolist():
        for _ in range(rounds):
            x = (x * 1664525 + value) % 2**32
        wanted.append((x + 2**31) % 2**32 - 2**31)
    assert result(SCAN.replace("ROUNDS", str(rounds)), values=values).tolist() == wanted


@pytest.mark.parametrize("lanes", [1, 7, 256, 1000])
def test_groups(lanes: int) -> None:
    values = np.arange(3001, dtype=np.int32)
    starts = values // lanes * lanes
    last = np.minimum(starts + lanes, values.size) - 1
    wanted = np.minimum(starts + (lanes - 1 - (values - starts)), last)
    outcome = run(GROUP.replace("LANES", str(lanes)), values=values)
    assert outcome.outputs["result"].data.tolist() == wanted.tolist()
    assert (outcome.fallback is None) == (lanes <= device().traits.invocations)


def test_groups_of_too_many_lanes() -> None:
    values = np.arange(5000, dtype=np.int32)
    outcome = run(GROUP.replace("LANES", "2000"), values=values)
    assert outcome.fallback is not None
    assert "2000 lanes" in outcome.fallback
    assert outcome.outputs["result"].data[:2000].tolist() == values[1999::-1].tolist()


def test_groups_that_exchange_too_much() -> None:
    """64 bytes of 1,024 lanes are 64 KiB; wgpu does not refuse more than a workgroup has."""
    values = np.arange(2048, dtype=np.int32)
    outcome = run(WIDE, values=values)
    assert (outcome.fallback is None) == (device().traits.workgroup_bytes >= 65536)
    assert outcome.outputs["result"].data[:1024].tolist() == (2 * values[1023::-1]).tolist()


def test_more_workgroups_than_a_dimension_has() -> None:
    """65,535 groups of 256 are 16,776,960 elements."""
    count = 65_535 * 256 + 1000
    found = result(INDEX, domain=(count,))
    assert found.size == count
    assert np.array_equal(found[:: 4 * 1021], np.arange(count, dtype=np.int64)[:: 4 * 1021] * 3)
    assert np.array_equal(found[-2000:], np.arange(count - 2000, count) * 3)


def test_fields_larger_than_a_binding() -> None:
    """They are run piece by piece."""
    most = device().device.most_bytes
    if most >= 2**31 - 4:
        pytest.skip("no field of Ints is too large for this device")
    count = most // 4 + 1
    found = result(INDEX, domain=(count,))
    assert found[0] == 0
    for i in (count // 2, count - 1):
        assert found[i] == (3 * i + 2**31) % 2**32 - 2**31


def test_forty_ports() -> None:
    ports = "".join(f"input p{i}: Rows<Int>; " for i in range(39))
    total = " + ".join(f"sample(p{i})" for i in range(39))
    source = f"""
    kernel limits.ports@1 {{
      requires {{ field.read; field.write; }} {ports} output result: Rows<Int>; compute {{ return {total}; }}
    }}
    """
    values = {f"p{i}": np.arange(i, i + 5, dtype=np.int32) for i in range(39)}
    outcome = run(source, **values)
    assert outcome.outputs["result"].data.tolist() == [sum(range(k, 39 + k)) for k in range(5)]
    assert (outcome.fallback is None) == (device().traits.buffers >= 40)


def test_large_arrays_with_computed_indices() -> None:
    """A software driver takes a minute to compile an array of 1,000 in which an index chooses."""
    source = """
    kernel limits.tape@1 {
      requires { field.read; field.write; }
      input places: Rows<Int>;
      output result: Rows<Int>;
      compute {
        var tape = [0; 1000];
        tape[sample(places)] = 5;
        tape[sample(places) + 1] += 6;
        return tape[sample(places) + 1] + tape[3];
      }
    }
    """
    outcome = run(source, places=np.array([0, 2, 3, 998, 999], np.int32))
    assert outcome.outputs["result"].data.tolist() == [6, 12, 11, 6, 5]
    assert (outcome.fallback is not None) == is_software()


def test_arrays_beyond_the_memory_of_an_invocation() -> None:
    """A real device is lost where each of its invocations asks for 36,000 bytes."""
    source = """
    kernel limits.wide@1 {
      requires { field.write; }
      output result: Rows<Int>;
      compute { var w = [1; 9000]; w[index() * 7 % 9000] = index(); return w[index() * 7 % 9000] + w[9000 - index()]; }
    }
    """
    outcome = run(source, domain=(300,))
    assert outcome.fallback is not None
    assert outcome.outputs["result"].data.tolist()[:3] == [1, 2, 3]


def test_deep_nesting() -> None:
    """The compiler of WGSL takes 127 braces."""
    source = "".join(f"if v > {i} {{ " for i in range(120)) + "r = 1;" + " }" * 120
    source = f"""
    kernel limits.deep@1 {{
      requires {{ field.read; field.write; }}
      input values: Rows<Int>;
      output result: Rows<Int>;
      compute {{ let v = sample(values); var r = 0; {source} return r; }}
    }}
    """
    outcome = run(source, values=np.array([5, 119, 120], np.int32))
    assert outcome.outputs["result"].data.tolist() == [0, 0, 1]
    assert outcome.fallback is not None


@pytest.mark.parametrize("words", [16, 17, 300])
def test_large_elements(words: int) -> None:
    source = f"""
    kernel limits.large@1 {{
      requires {{ field.read; field.write; }}
      input values: Rows<[Int; {words}]>;
      output result: Rows<[Int; {words}]>;
      prefix over values with sum {{ return sample(values); }}
    }}
    """
    values = np.arange(50 * words, dtype=np.int32).reshape(50, words)
    assert np.array_equal(run(source, values=values).outputs["result"].data, np.cumsum(values, axis=0))


def test_failed_device_is_opened_anew() -> None:
    """A device that is lost is a K7 error, and the next call works."""
    gpu = device()
    lost = gpu.device
    lost.handle.destroy()
    with pytest.raises(RunError) as refused:
        gpu.run(launch(INDEX, (10,)))
    assert refused.value.code == "K717"
    assert gpu.run(launch(INDEX, (4,))).outputs["result"].data.tolist() == [0, 3, 6, 9]
    assert gpu.device is not lost
    assert backend_named("gpu").run(launch(INDEX, (2,))).outputs["result"].data.tolist() == [0, 3]


FORMS = {
    "map": "compute { return sample(values) + ONE; }",
    "reduction": "compute over values { return sample(values) + ONE; } merge(a, b) { return a + b; }",
    "scan": "scan over values with y = NONE { return y + sample(values) + ONE; }",
    "prefix sum": "prefix over values with sum { return sample(values) + ONE; }",
    "prefix max": "prefix over values with max { return sample(values) + ONE; }",
    "group": "group 4 { return exchange(sample(values), lane()) + ONE; }",
}
KINDS = {"Int": np.int32, "Float": np.float32}


def few(form: str, type_: str, ports: str = "") -> str:
    one, none = ("1", "0") if type_ == "Int" else ("1.0", "0.0")
    return f"""
    struct Hit {{ slot: Int; value: {type_}; }}
    kernel limits.few@1 {{
      requires {{ field.read; field.write; }}
      input values: Rows<{type_}>;
      {ports}
      output result: Rows<{type_}>;
      {form.replace("NONE", none).replace("ONE", one)}
    }}
    """


@pytest.mark.parametrize("type_", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_no_element_and_one(form: str, type_: str) -> None:
    """7 + 1 where there is an element, whatever the mode."""
    if (type_, form) == ("Float", "prefix sum"):
        return  # K313
    source = few(FORMS[form], type_)
    assert result(source, values=np.full(1, 7, KINDS[type_])).tolist() == [8]
    nothing = np.zeros(0, KINDS[type_])
    if form == "reduction":
        with pytest.raises(RunError) as refused:
            run(source, values=nothing)
        assert refused.value.code == "K706"
    else:
        assert result(source, values=nothing).size == 0


@pytest.mark.parametrize("type_", KINDS)
@pytest.mark.parametrize(("operation", "hit"), [("sum", 10), ("min", 2), ("max", 8), ("last", 8)])
def test_scatters_of_no_pair_and_one(operation: str, hit: int, type_: str) -> None:
    form = (
        f"scatter over values into target with {operation} {{ return Hit {{ slot: 1, value: sample(values) + ONE }}; }}"
    )
    source = few(form, type_, f"input target: Rows<{type_}>;")
    kind = KINDS[type_]
    target = np.full(3, 2, kind)
    assert result(source, values=np.full(1, 7, kind), target=target).tolist() == [2, hit, 2]
    assert result(source, values=np.zeros(0, kind), target=target).tolist() == [2, 2, 2]
    assert result(source, values=np.full(1, 7, kind), target=target[:0]).size == 0


def test_two_gibibytes_and_more() -> None:
    """More bytes than a signed number of 32 bits holds."""
    if is_software() and "KCHECK_VAST" not in os.environ:
        pytest.skip("takes a software driver long; set KCHECK_VAST to try it")
    source = """
    kernel limits.vast@1 {
      requires { field.read; field.write; }
      input values: Rows<[Float; 16]>;
      output result: Rows<Float>;
      compute over values { return sample(values)[15]; }
      merge(a, b) { return a + b; }
    }
    """
    values = np.zeros((2**25 + 5, 16), np.float32)  # the system gives such pages out when they are written to
    values[[0, 2**24, -1], 15] = [1.0, 2.0, 4.0]
    assert result(source, values=values).tolist() == [7.0]
