"""The scalars of values in NumPy arrays, one by one."""

from kcheck.checker.types import Array, Enum, Mat, Struct, Type, Vec
from kcheck.runtime.layout import AnyArray


def columns(type_: Type, data: AnyArray) -> list[AnyArray]:
    """A view of each scalar of a type, in the order of `types.leaves`; `data` has one axis of elements."""
    match type_:
        case Vec():
            return [data[:, i] for i in range(type_.size)]
        case Mat():
            return [data[:, c, r] for c in range(type_.size) for r in range(type_.size)]
        case Array():
            return [c for i in range(type_.length) for c in columns(type_.element, data[:, i])]
        case Struct():
            return [c for f in type_.fields for c in columns(f.type, data[f.name])]
        case Enum():
            fields = [(v.name, f) for v in type_.variants for f in v.fields]
            return [data["tag"], *(c for name, f in fields for c in columns(f.type, data[name][f.name]))]
        case _:
            return [data]
