"""One cell of the matrix: a feature in a form, run and held to what it should give."""

from collections.abc import Iterator, Mapping
from typing import Any

from kcheck.runtime.errors import RunError
from tests.matrix.feature import Feature, Shape, fields
from tests.matrix.forms import Form, kernel
from tests.support import Result, program_of, run
from tests.values import Tolerance, differences


def failures(feature: Feature, form: Form, backend: str) -> Iterator[str]:
    """What is wrong in a cell; nothing where it is as it should be."""
    source = kernel(feature, form.skeleton(feature))
    program = program_of(source)
    for shape in shapes(feature, form):
        inputs, memories = bound(feature, form, shape)
        try:
            result = run(program, inputs, feature.params, None, memories, backend)
        except RunError as error:
            if error.diagnostic.code != feature.refused.get(form.name):
                yield f"{shape}: {error}\n{source}"
            continue
        found = list(wrong(feature, form, shape, result))
        if found:
            yield f"{shape}: {found[:5]}\n{source}"


def shapes(feature: Feature, form: Form) -> tuple[Shape, ...]:
    return feature.walk_shapes or feature.shapes if "scan" in form.name else feature.shapes


def bound(feature: Feature, form: Form, shape: Shape) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The values of the inputs, and those of the memories."""
    binding = form.bind(feature, shape)
    return {**fields(feature, shape), **binding.inputs}, binding.memories


def wrong(feature: Feature, form: Form, shape: Shape, result: Result) -> Iterator[str]:
    """Where a result is not what the form makes of what the oracle gives."""
    if form.name in feature.refused:
        yield f"ran, expected {feature.refused[form.name]}"
        return
    wanted = form.expect(feature, shape, feature.results(shape))
    tolerance = Tolerance(ulp=feature.ulp)
    yield from differences(dict(result.outputs), dict(wanted.outputs), tolerance)
    yield from differences(dict(result.memories), dict(wanted.memories), tolerance)
