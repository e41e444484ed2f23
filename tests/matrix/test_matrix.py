"""Every feature in every form, on every backend."""

import re
from dataclasses import replace

import pytest

from tests.backends import BACKENDS
from tests.matrix.cell import failures
from tests.matrix.feature import Feature
from tests.matrix.features import FEATURES
from tests.matrix.forms import FORMS, Form, kernel
from tests.support import check, codes

CELLS = [(feature, form) for feature in FEATURES for form in FORMS if form.name not in feature.absent]
ABSENT = [(feature, form) for feature in FEATURES for form in FORMS if form.name in feature.absent]


def test_size() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES) >= 52
    assert len(FORMS) == 7
    for feature in FEATURES:
        assert set(feature.absent) | set(feature.refused) <= {form.name for form in FORMS}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("feature", "form"), CELLS, ids=[f"{feature.name}/{form.name}" for feature, form in CELLS])
def test_cell(feature: Feature, form: Form, backend: str) -> None:
    assert not list(failures(feature, form, backend))


@pytest.mark.parametrize(("feature", "form"), ABSENT, ids=[f"{feature.name}/{form.name}" for feature, form in ABSENT])
def test_absent_cell(feature: Feature, form: Form) -> None:
    """What the matrix says of a cell that is not there is what the checker says: here, of a second output."""
    skeleton = form.skeleton(feature)
    two = replace(skeleton, output=f"{skeleton.output}\noutput second: Rows<Int>;")
    [code] = re.findall(r"K\d+", feature.absent[form.name])
    assert code in codes(check(kernel(feature, two)).diagnostics)
