"""Running on the GPU in tests: the backend as users get it, and the device alone."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from kcheck.runtime.backend import Backend, Launch, Outcome
from kcheck.runtime.binding import bind
from kcheck.runtime.fallback import WithFallback
from kcheck.runtime.gpu import Gpu
from tests.support import backend_named, program_of


def launch(source: str, domain: Sequence[int] | None = None, **values: Any) -> Launch:
    return bind(program_of(source), values, domain)


def run(source: str, domain: Sequence[int] | None = None, **values: Any) -> Outcome:
    """As users have it: what the device cannot do runs elsewhere."""
    return backend_named("gpu").run(launch(source, domain, **values))


def result(source: str, domain: Sequence[int] | None = None, **values: Any) -> np.ndarray:
    """The output `result` of a run on the device itself."""
    outcome = run(source, domain, **values)
    assert outcome.fallback is None, outcome.fallback
    return outcome.outputs["result"].data


def device() -> Gpu:
    backend: Backend = backend_named("gpu")
    assert isinstance(backend, WithFallback)
    assert isinstance(backend.first, Gpu)
    return backend.first


@cache
def flushes() -> bool:
    """Whether the device takes subnormal numbers for zero, which docs/gpu.md names as the one exception."""
    source = """
    kernel t.halved@1 {
      requires { field.read; field.write; }
      input x: Rows<Float>;
      output result: Rows<Float>;
      compute { return sample(x) * 0.5; }
    }
    """
    return not result(source, x=np.array([np.finfo(np.float32).tiny])).any()


def is_software() -> bool:
    return device().device.adapter.is_software
