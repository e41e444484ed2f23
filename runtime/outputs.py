"""The shape and extent of what a launch gives; the same for every backend."""

from __future__ import annotations

import math

from kcheck.checker import ir
from kcheck.runtime.backend import Launch
from kcheck.runtime.fields import Box, default_box


def output_shape(launch: Launch) -> tuple[int, ...]:
    """The axes of the launch's outputs in NumPy order; a kernel's outputs all have the same."""
    match launch.program.schedule:
        case ir.Elements() | ir.Lanes():
            return launch.shape
        case ir.Fold():
            return (1,)
        case ir.OrderedWalk() | ir.RunningCombine():
            return (math.prod(launch.shape),)
        case ir.CombineByAddress() as scatter:
            return launch.inputs[scatter.into].shape


def output_extent(launch: Launch) -> Box:
    """Maps pass on the box that all their sampled inputs have, a scatter its target's; others start anew."""
    match launch.program.schedule:
        case ir.Elements() | ir.Lanes():
            boxes = [launch.inputs[name].extent for name in launch.program.sampled]
            if boxes and all(box == boxes[0] for box in boxes[1:]):
                return boxes[0]
        case ir.CombineByAddress() as scatter:
            return launch.inputs[scatter.into].extent
    return default_box(output_shape(launch))
