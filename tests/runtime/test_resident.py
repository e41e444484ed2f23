"""Arrays that stay on a device, where there is none: they are arrays like others then."""

import subprocess
import sys

import numpy as np

import kcheck
from kcheck import DeviceArray

TEXT = """
kernel resident.turn@1 {
  requires { field.read; field.write; }
  input a: Grid<Vec2>;
  memory m: Grid<Int>;
  output result: Rows<Vec2>;
  scan over a with y = vec2(0.0) { put(m, 0, 0, index()); return y + sample(a); }
}
kernel resident.more@1 {
  requires { field.read; field.write; }
  input a: Rows<Vec2>;
  param by: Vec2;
  output result: Rows<Vec2>;
  compute { return sample(a) + by; }
}
"""


def test_results_are_of_the_same_kind_on_the_processor() -> None:
    module = kcheck.loads(TEXT)
    values = np.arange(12, dtype=np.float64).reshape(2, 3, 2)
    memory = np.zeros((1, 1), np.int32)
    out = module["resident.turn"](a=kcheck.device(values), m=memory, backend="interpreter")
    sums = np.cumsum(values.reshape(-1, 2), axis=0)
    assert isinstance(out.result, DeviceArray)
    assert isinstance(out.memories["m"], DeviceArray)
    assert (out.result.shape, out.memories["m"].tolist()) == ((6, 2), [[5]])
    assert np.array_equal(out["result"], sums)
    more = module["resident.more"](a=out.result, by=kcheck.device([1.0, 2.0]), backend="interpreter").result
    assert np.array_equal(more, sums + np.array([1, 2]))
    assert not memory.any()


def test_they_need_no_library_of_devices() -> None:
    code = "import sys, kcheck; a = kcheck.device([1.0]) + 1; print('wgpu' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
