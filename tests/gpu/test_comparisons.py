"""Every way of comparing Floats is right on this driver, in tests that only a NaN fails, too."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from kcheck.runtime.gpu.wgsl.traits import Comparison
from tests.gpu.launches import device, is_software, result
from tests.gpu.test_numbers import EDGES, pairs

SOURCE = """
kernel t.compared@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  input b: Rows<Float>;
  output result: Rows<[Int; 10]>;
  compute {
    let x = sample(a);
    let y = sample(b);
    var n = 0;
    if !(x < y) { n = 1; }
    var m = 0;
    for i in 0..3 { if !(x >= y) { m += 1; } }
    return [
      int(x < y), int(x <= y), int(x == y), int(x != y), n, m, int(x == x), int(!(x <= x)),
      select(!(x > y || x == y), 1, 0), int(!(x < 0.5) && !(0.5 <= x)),
    ];
  }
}
"""


@pytest.fixture(autouse=True, params=Comparison, ids=lambda way: way.value)
def comparison(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All ways on a software driver, which compares rightly; on others the one that was found to be right."""
    gpu = device()
    if not is_software() and request.param is not gpu.traits.comparison:
        pytest.skip("the driver does not compare rightly so, or there is a faster way")
    monkeypatch.setattr(gpu._opened, "traits", replace(gpu.traits, comparison=request.param))
    gpu._compiled.clear()
    yield
    gpu._compiled.clear()


def test_comparisons() -> None:
    x, y = pairs(EDGES)
    with np.errstate(invalid="ignore"):
        wanted = np.column_stack(
            [
                *(x < y, x <= y, x == y, x != y, ~(x < y), np.where(x >= y, 0, 3), ~np.isnan(x), np.isnan(x)),
                *(~((x > y) | (x == y)), np.isnan(x)),
            ]
        )
    assert np.array_equal(result(SOURCE, a=x, b=y), wanted.astype(np.int32))
