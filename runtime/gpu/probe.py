"""What a driver does to numbers and loops, found by running kernels whose results are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from kcheck.checker import check_text, ir
from kcheck.runtime.backend import Launch, Missing, Outcome
from kcheck.runtime.binding import bind
from kcheck.runtime.gpu.device import Device, Dispatch, Numbers
from kcheck.runtime.gpu.wgsl.module import Stage
from kcheck.runtime.gpu.wgsl.traits import Comparison, Guard, Traits
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray

Run = Callable[[Launch, Traits], Outcome]
"""Runs a launch on the device with code for these traits."""

_ARITHMETIC = """
kernel probe.arithmetic@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  input b: Rows<Float>;
  output sums: Rows<[Float; 26]>;
  output quotients: Rows<[Float; 5]>;
  output roots: Rows<[Float; 2]>;
  compute {
    let x = sample(a);
    let y = sample(b);
    return {
      sums: [
        x + y, x - y, x * y, x * y + x, x - y * y, (x + y) - x, (x * y) * y, (x * 1.1) * 1.3,
        (x + 8388608.0) - 8388608.0, x + 0.0, 0.0 - x, x - x, x * float(0), x * 1.0, x - floor(x), x * y - y * x,
        0.0 * x, 0.0 + x, select(x < y, -1.0, 0.0), select(x < y, -0.0, 1.0),
        1.0 - (1.0 - x), (x + 1.0) - 1.0, -1.0 + (1.0 - x * y), (1.0 - x) * 1.0 + x, cos(x), log2(abs(x) + 0.5),
      ],
      quotients: [x / y, x / 3.0, 1.0 / x, x / x, (x / 3.0) * y],
      roots: [sqrt(x), sqrt(x) * sqrt(x)],
    };
  }
}
"""

_COMPARISONS = """
kernel probe.comparisons@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  input b: Rows<Float>;
  output result: Rows<[Int; 20]>;
  compute {
    let x = sample(a);
    let y = sample(b);
    var least = x;
    if !(least <= y) { least = y; }
    var greatest = x;
    if !(y < greatest) { greatest = y; }
    let inside = !(x < -1.0 || x > 1.0);
    return [
      int(x < y), int(x <= y), int(x == y), int(x != y), int(!(x < y)), int(!(x >= y)), int(!(x == y)), int(x == x),
      int(!(x <= x)), int(x < y || x > y), int(!(x < y) && !(y < x)), int(!(x < y || x == y)), int(inside),
      int(x > 0.5), int(!(x > 0.0)), int(!(0.0 <= x)), int(select(!(x < y), x, y) == y), int(least == y),
      int(greatest == x), int((x < y) == (y > x) && (x <= y) == !(x > y)),
    ];
  }
}
"""

_ROUNDS = """
kernel probe.rounds@1 {
  requires { field.read; field.write; }
  input seed: Rows<Int>;
  param rounds: Int;
  output result: Rows<Int>;
  compute {
    var x = sample(seed);
    for i in 0..rounds { x = x * 1664525 + 1013904223; }
    return x;
  }
}
"""
_LONG = 70_000
"""More rounds than any driver that ends loops silently is known to allow, and far more than such a one counts on."""
_COUNTED = 8_000
"""The rounds that an invocation may count on there: 65,535 are shared by the 8 that run side by side."""


_GOING_ON = (0x10DE,)
"""The vendors, by the numbers that Vulkan has for them, whose devices let all workgroups go on that have started."""


def traits_of(device: Device, run: Run) -> Traits:
    """What holds for a device; raises `Missing` where its driver's arithmetic cannot be kept exact."""
    limits = device.handle.limits
    common = Traits(
        guard=Guard.FMA,
        exact_division=True,
        exact_root=True,
        rounds=None,
        invocations=limits["max-compute-invocations-per-workgroup"],
        workgroup_bytes=limits["max-compute-workgroup-storage-size"],
        buffers=limits["max-storage-buffers-per-shader-stage"],
        indexed_words=128 if device.adapter.is_software else 1024,
        at_once=not device.adapter.is_software,
        subgroup=_subgroup(device),
        looks_back=device.adapter.vendor in _GOING_ON and "shader-int64-atomic-all-ops" in device.features,
    )
    # A processor may have no quick fma.
    software = device.adapter.is_software
    guards = (Guard.XOR, Guard.FMA, Guard.BOTH) if software else (Guard.FMA, Guard.XOR, Guard.BOTH)
    found = _arithmetic(common, guards, run)
    if found is None:
        raise Missing(f"the driver of {device.adapter.name} changes arithmetic on Floats in ways that cannot be undone")
    comparison = Comparison.BITS if device.adapter.is_software else _comparison(found, run)
    return replace(found, comparison=comparison, rounds=None if _loops_are_long(found, run) else _COUNTED)


def _arithmetic(common: Traits, guards: Sequence[Guard], run: Run) -> Traits | None:
    """The first guard under which arithmetic is exact, with the driver's own division and root where they are."""
    launch, wanted = _arithmetic_launch()
    for guard in guards:
        traits = replace(common, guard=guard)
        right = _right(run(launch, traits), wanted)
        if right["sums"]:
            traits = replace(traits, exact_division=right["quotients"], exact_root=right["roots"])
            own = traits.exact_division and traits.exact_root
            return traits if own or all(_right(run(launch, traits), wanted).values()) else None
    return None


def _comparison(traits: Traits, run: Run) -> Comparison:
    """The first way of comparing that is right, subnormal numbers apart."""
    fields = {name: field.data for name, field in _arithmetic_launch()[0].inputs.items()}
    launch = bind(_program(_COMPARISONS), fields)
    wanted = Interpreter().run(launch)
    ways = (way for way in Comparison if all(_right(run(launch, replace(traits, comparison=way)), wanted).values()))
    return next(ways, Comparison.BITS)


@cache
def _arithmetic_launch() -> tuple[Launch, Outcome]:
    chance = np.random.default_rng(1)
    special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        np.inf,
        -np.inf,
        np.nan,
        0.1,
        1 / 3,
        -2.5,
        0.49999997,
        16777215.0,
        1e30,
        -1e-30,
        3e38,
    ]
    pairs = np.array(np.meshgrid(special, special), np.float32).reshape(2, -1)
    usual = (chance.standard_normal((2, 4096)) * np.exp2(chance.integers(-12, 12, (2, 4096)))).astype(np.float32)
    a, b = np.concatenate([pairs, usual], axis=1)
    launch = bind(_program(_ARITHMETIC), {"a": a, "b": b})
    return launch, Interpreter().run(launch)


def _right(got: Outcome, wanted: Outcome) -> dict[str, bool]:
    """For each output whether it is as wanted; subnormal results may be flushed to zero."""
    return {name: _same(got.outputs[name].data, wanted.outputs[name].data) for name in wanted.outputs}


def _same(got: AnyArray, wanted: AnyArray) -> bool:
    same = got.view(np.uint32) == wanted.view(np.uint32)
    nans = np.isnan(got) & np.isnan(wanted)
    subnormal = (wanted != 0) & (np.abs(wanted) < np.finfo(np.float32).tiny)
    return bool(np.all(same | nans | subnormal))


def _loops_are_long(traits: Traits, run: Run) -> bool:
    """Whether loops run to their end; some drivers leave them silently after so many rounds."""
    program = _program(_ROUNDS)
    launch = bind(program, {"seed": np.arange(8, dtype=np.int32), "rounds": _LONG})
    wanted = np.arange(8, dtype=np.uint32)
    for _ in range(_LONG):
        wanted = wanted * np.uint32(1664525) + np.uint32(1013904223)
    return bool(np.array_equal(run(launch, traits).outputs["result"].data.view(np.uint32), wanted))


_SUBGROUPS = """\
struct Run {
  fixed: array<vec4<u32>, 3>,
}
@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) place: u32,
  @builtin(local_invocation_index) lane: u32,
) {
  found[lane] = select(0u, size, place == lane % size && run.fixed[0].z > 0u);
}
"""
"""Shows the size of subgroups, 0 where they are not neighbours in order."""


def _subgroup(device: Device) -> int:
    """How many neighbouring invocations make a subgroup, the same in workgroups of several sizes; 0 otherwise."""
    if "subgroup" not in device.features:
        return 0
    sizes: set[int] = set()
    for threads in (64, 128, 256):
        stage = Stage(_SUBGROUPS.replace("THREADS", str(threads)), threads, (("found", True),), (), (), ())
        found = device.buffer(threads)
        device.run([Dispatch(stage, 1, Numbers(threads), (), {"found": found})])
        sizes.update(device.download(found).tolist())
    return sizes.pop() if len(sizes) == 1 else 0


def _program(text: str) -> ir.Program:
    [program] = check_text(text, "probe.kernel").programs.values()
    return program
