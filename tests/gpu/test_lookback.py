"""Prefixes in one pass: what a workgroup finds when it looks back, and that tiles join.

Mesa's software driver is none of those on which workgroups may wait for others.  With one thread of its own, though,
it ends each workgroup before it begins the next, and none has to wait.
"""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from kcheck.checker.ir import CombineOp
from kcheck.checker.types import INT
from kcheck.runtime.gpu.device import Dispatch, Numbers
from kcheck.runtime.gpu.wgsl import lookback
from tests.gpu.launches import device, launch

ANY = """
kernel back.any@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  output result: Rows<Int>;
  prefix over a with sum { return sample(a); }
}
"""
OWN, ALL = 1, 2


@pytest.mark.parametrize("missing", [0, 77])
@pytest.mark.parametrize("known", [0, 7, 8, 16, 39])
@pytest.mark.parametrize("op", [CombineOp.SUM, CombineOp.MAX])
def test_looking_back(op: CombineOp, known: int, missing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of 41 tiles, when of those before it one knows what all come to and the later ones only their own."""
    gpu = device()
    if "shader-int64-atomic-all-ops" not in gpu.device.features or gpu.traits.subgroup < 8:
        pytest.skip("the device has no subgroups of 8, or no atomic operations on 64 bits")
    monkeypatch.setattr(lookback, "_MOST_THREADS", 64)
    subject = replace(
        gpu._compile(launch(ANY, a=np.zeros(1, np.int32))).subject, traits=replace(gpu.traits, at_once=True)
    )
    tile, tiles = lookback.tile(subject, INT, None), 41
    source = np.random.default_rng(known).integers(-(2**31), 2**31, tile * tiles - missing).astype(np.int32)
    combine = np.add if op is CombineOp.SUM else np.maximum
    before = source[: tile * (tiles - 1)].reshape(tiles - 1, tile)
    own = combine.reduce(before, axis=1, dtype=np.int32)
    status = np.zeros((1 + tiles, 2), np.uint32)
    status[0, 0] = tiles - 1  # so many are taken
    status[1:-1, 0], status[1:-1, 1] = own.view(np.uint32), OWN
    status[1 + known] = combine.accumulate(own, dtype=np.int32).view(np.uint32)[known], ALL
    status[1 : 1 + known, 0] = 12345  # is not looked at

    buffers = {
        "source": gpu.device.upload(source.view(np.uint32)),
        "results": gpu.device.room(source.size),
        "status": gpu.device.upload(status.reshape(-1)),
    }
    stage = lookback.scan(subject, op, INT, None, keyed=False)
    gpu.device.run([Dispatch(stage, 1, Numbers(source.size, step=tiles), (), buffers)])
    found = gpu.device.download(buffers["results"]).view(np.int32)[tile * (tiles - 1) :]
    wanted = combine.accumulate(source, dtype=np.int32)
    assert np.array_equal(found, wanted[tile * (tiles - 1) :])
    told = gpu.device.download(buffers["status"]).reshape(1 + tiles, 2)[-1]
    assert told.tolist() == [int(wanted.view(np.uint32)[-1]), ALL]


JOINED = """
from dataclasses import replace
import numpy as np
from kcheck.runtime.gpu.wgsl import lookback
from tests.gpu.launches import device, result
from tests.gpu.test_schedules import PREFIX

lookback._MOST_THREADS = 64
gpu = device()
gpu._opened.traits = replace(gpu.traits, at_once=True, looks_back=True)
ints = PREFIX.replace("TYPE", "Int").replace("OP", "sum").replace("VALUE", "v")
pairs = PREFIX.replace("TYPE", "Vec2").replace("OP", "min").replace("VALUE", "vec2(float(v), float(0 - v))")
for count in (0, 1, 255, 4096, 4097, 70_001):
    a = np.random.default_rng(count).integers(-(2**31), 2**31, count).astype(np.int32)
    assert np.array_equal(result(ints, a=a), np.cumsum(a, dtype=np.int32)), count
    a >>= 10
    both = np.column_stack([a, -a]).astype(np.float32)
    assert np.array_equal(result(pairs, a=a), np.minimum.accumulate(both)), count
print("joined")
"""


def test_tiles_join() -> None:
    if not device().device.adapter.name.startswith("llvmpipe"):
        pytest.skip("where the driver is not Mesa's for processors, the tests of schedules look back or need not")
    environment = {**os.environ, "LP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", JOINED], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.strip() == "joined", done.stderr
