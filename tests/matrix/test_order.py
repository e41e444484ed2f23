"""The order of a kernel's members, and of a file's items, means nothing."""

import random

import pytest

from tests.backends import BACKENDS
from tests.matrix.cell import bound, wrong
from tests.matrix.feature import Feature
from tests.matrix.features import FEATURES
from tests.matrix.forms import FORMS, Form, members
from tests.support import program_of, run

NAMES = ("functions in a kernel see its ports and params", "constants and params", "mixed inputs")
PERMUTED = [(f, form) for f in FEATURES for form in FORMS if f.name in NAMES]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("feature", "form"), PERMUTED, ids=lambda x: x.name)
def test_permuted_members(feature: Feature, form: Form, backend: str) -> None:
    skeleton = form.skeleton(feature)
    items = [feature.items, skeleton.items]
    shuffled = members(feature, skeleton)
    random.Random(feature.name + form.name).shuffle(shuffled)
    [shape] = feature.shapes
    inputs, memories = bound(feature, form, shape)
    for parts in (members(feature, skeleton)[::-1], shuffled):
        source = "\n".join(["kernel matrix.cell@1 {", *parts, "}", *reversed(items)])
        result = run(program_of(source), inputs, feature.params, None, memories, backend)
        assert not list(wrong(feature, form, shape, result)), source
