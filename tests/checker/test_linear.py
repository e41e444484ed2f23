"""The work of checking grows with the text and no faster: counted in calls, so that no clock can disturb it."""

import sys
from collections.abc import Callable

import pytest

from kcheck.checker import check_text
from kcheck.checker.ir import content_hash
from kcheck.checker.settings import settled

FUNCTION = """\
fn step{0}(x: Float, n: Int) -> Float {{
  var y = x;
  for i in 0..n {{
    let t = sin(y) * {0}.5 + float(i);
    if t > 1.0 {{ y = mix(y, t, 0.5); }} else if i > 3 && y < 0.0 {{ y += 1.0; }}
  }}
  return match n {{ 0 => y, 1..9 => y * 2.0, _ => -y }};
}}
"""


def functions(count: int) -> str:
    return "".join(FUNCTION.format(i) for i in range(count))


def statements(count: int) -> str:
    body = "\n".join(f"  let a{i} = a{i - 1} * 0.5 + {i}.0;\n  if a{i} > 3.0 {{ s += a{i}; }}" for i in range(1, count))
    return f"fn long(a0: Float) -> Float {{\n  var s = 0.0;\n{body}\n  return s;\n}}\n"


def exchanges(count: int) -> str:
    body = "\n".join(f"    y += exchange(y, {i % 8}); if y > {i}.0 {{ y = {i}.0; }}" for i in range(count))
    return (
        "kernel a.b@1 {\n  requires { field.read; field.write; }\n  input x: Rows<Float>;\n  output r: Rows<Float>;\n"
        f"  group 8 {{\n    var y = sample(x);\n{body}\n    return y;\n  }}\n}}\n"
    )


def kernels(count: int) -> str:
    return "".join(exchanges(4).replace("a.b@1", f"a.b@{i + 1}") for i in range(count))


def unused(count: int) -> str:
    return "".join(
        f"fn f{i}(x: Int) -> Int {{\n  let y = x; // kcheck: allow K208 — later\n  x\n}}\n" for i in range(count)
    )


def wide(count: int) -> str:
    fields = " ".join(f"f{i}: Int;" for i in range(count))
    leaf = ", ".join(f"f{i}: sample(x)" for i in range(count))
    sums = ", ".join(f"f{i}: a.f{i} + b.f{i}" for i in range(count))
    return (
        f"struct S {{ {fields} }}\nkernel a.b@1 {{\n  requires {{ field.read; field.write; }}\n  input x: Rows<Int>;\n"
        f"  output r: Rows<S>;\n  compute over x {{ S {{ {leaf} }} }}\n  merge(a, b) {{ S {{ {sums} }} }}\n}}\n"
    )


def calls(work: Callable[[], object]) -> int:
    """How many Python functions are called."""
    count = 0

    def counting(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def calls_to_check(text: str) -> int:
    """How many are called to check a text that was parsed before."""
    check_text(text, "a.kernel")
    return calls(lambda: settled(check_text(text, "a.kernel")))


@pytest.mark.parametrize("made", [functions, statements, exchanges, kernels, unused], ids=lambda made: made.__name__)
def test_four_times_the_text_takes_four_times_the_calls(made: Callable[[int], str]) -> None:
    assert calls_to_check(made(120)) < 4.4 * calls_to_check(made(30))


def test_a_type_is_hashed_once_however_often_it_is_met() -> None:
    few, many = (check_text(wide(count), "a.kernel").programs["a.b@1"] for count in (30, 120))
    assert calls(lambda: content_hash(many)) < 4.4 * calls(lambda: content_hash(few))
