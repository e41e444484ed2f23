"""The GPU backend: WGSL on whatever device wgpu finds."""

from kcheck.runtime.gpu.backend import Gpu

__all__ = ["Gpu"]
