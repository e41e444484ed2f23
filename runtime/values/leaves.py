"""The scalars of values, one array each, by the paths of `types.leaves`."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.checker.types import FLOAT, Enum, Leaf, Scalar, Step, Struct, Type, Vec, leaves, parts
from kcheck.runtime.layout import AnyArray


def leaf_views(type_: Type, data: AnyArray, rank: int) -> Iterator[tuple[Leaf, AnyArray]]:
    """Every leaf with a view of its values; `data` has `rank` axes before those of its elements."""
    for leaf in leaves(type_):
        yield leaf, leaf_view(data, leaf.path, rank)


def leaf_view(data: AnyArray, path: tuple[Step, ...], rank: int) -> AnyArray:
    for step in path:
        if isinstance(step, int):
            data = data[(slice(None),) * rank + (step,)]
        else:
            for name in step.split("."):
                data = data[name]
    return data


def leaf_names(type_: Type) -> list[str]:
    """A name for each leaf: `position.x`, `weights[2]`, `""` for a scalar."""
    return [leaf_name(type_, leaf.path) for leaf in leaves(type_)]


def leaf_name(type_: Type, path: tuple[Step, ...]) -> str:
    name, here = "", type_
    for step in path:
        if isinstance(step, int):
            name += f".{'xyzw'[step]}" if isinstance(here, Vec) else f"[{step}]"
        else:
            name += f".{step}"
        here = _part(here, step)
    return name.removeprefix(".")


def leaf_variants(type_: Type, path: tuple[Step, ...]) -> tuple[str, ...]:
    """The names of the variants that a leaf counts; none where it is no enum's tag."""
    here = type_
    for step in path[:-1]:
        here = _part(here, step)
    return tuple(variant.name for variant in here.variants) if isinstance(here, Enum) and path[-1] == "tag" else ()


def _part(type_: Type, step: Step) -> Type:
    match type_, step:
        case Struct(fields=fields), str():
            return next(field.type for field in fields if field.name == step)
        case Enum(), "tag":
            return Scalar.INT
        case Enum(variants=variants), str():
            return next(f.type for v in variants for f in v.fields if f"{v.name}.{f.name}" == step)
        case _, int():
            return FLOAT if isinstance(type_, Vec) else parts(type_)[step]
        case _:
            raise TypeError(f"{type_} has no part {step}")
