"""What a run gives back to Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.resident import DeviceArray, array_of


class Result(Mapping[str, "AnyArray | DeviceArray"]):
    """The outputs of a run by name: `out["result"]`, or `out.result` where that name is free.

    Arrays have the axes of the field in NumPy's order (height before width) and then those of the elements;
    structs are structured arrays.  A run that took an array which stays on the device gives such.
    """

    def __init__(
        self,
        outputs: Mapping[str, Field],
        memories: Mapping[str, Field],
        *,
        backend: str,
        fallback: str | None,
        reason: str | None = None,
        compile_seconds: float,
        run_seconds: float,
    ) -> None:
        self.fields = dict(outputs)
        """The outputs as fields, with their types and extents; a field can be given to a next run."""
        self.memory_fields = dict(memories)
        self.backend = backend
        """The name of the backend that ran."""
        self.fallback = fallback
        """Why another backend than the one asked for ran, or None."""
        self.reason = reason
        """Why `auto` took this backend; None where it was named."""
        self.compile_seconds = compile_seconds
        self.run_seconds = run_seconds

    @property
    def memories(self) -> dict[str, AnyArray | DeviceArray]:
        """The memories' contents after the run, by name; the arrays that were bound are as they were."""
        return {name: array_of(field) for name, field in self.memory_fields.items()}

    @property
    def seconds(self) -> float:
        """The time of compiling and running."""
        return self.compile_seconds + self.run_seconds

    def __getitem__(self, name: str) -> AnyArray | DeviceArray:
        return array_of(self.fields[name])

    def __getattr__(self, name: str) -> AnyArray | DeviceArray:
        outputs = self.__dict__.get("fields", {})
        if name in outputs:
            return self[name]
        raise AttributeError(f"the run has no output `{name}`; its outputs are {', '.join(outputs)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        parts = [f"{name}: {field.type} {field.shape}" for name, field in self.fields.items()]
        return f"<Result {', '.join(parts)} by {self.backend} in {self.seconds:.3g} s>"
