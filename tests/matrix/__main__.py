"""`python -m tests.matrix [backend]`: run the matrix and print it."""

import sys

from tests.backends import BACKENDS
from tests.matrix.cell import failures
from tests.matrix.feature import Feature
from tests.matrix.features import FEATURES
from tests.matrix.forms import FORMS, Form


def main() -> int:
    """The exit status: 0 where no cell is wrong."""
    wrong = [show(backend) for backend in sys.argv[1:] or BACKENDS]
    return 1 if any(wrong) else 0


def show(backend: str) -> int:
    """Print the matrix of one backend; the number of wrong cells."""
    reasons: list[str] = []
    wrong: list[str] = []
    width = max(len(feature.name) for feature in FEATURES)
    print(f"{backend}: {len(FEATURES)} features x {len(FORMS)} forms")
    print(" " * width, *(form.name for form in FORMS), sep="  ")
    for feature in FEATURES:
        cells = [cell(feature, form, backend, reasons, wrong) for form in FORMS]
        row = (text.ljust(len(form.name)) for text, form in zip(cells, FORMS, strict=True))
        print(feature.name.ljust(width), *row, sep="  ")
    for i, reason in enumerate(reasons, 1):
        print(f"  [{i}] {reason}")
    print(*wrong, sep="\n")
    return len(wrong)


def cell(feature: Feature, form: Form, backend: str, reasons: list[str], wrong: list[str]) -> str:
    """`ok`, `WRONG`, the error that is expected here, or the number of the reason why there is no cell."""
    if reason := feature.absent.get(form.name):
        if reason not in reasons:
            reasons.append(reason)
        return f"[{reasons.index(reason) + 1}]"
    try:
        found = list(failures(feature, form, backend))
    except Exception as error:  # whatever a backend raises, the other cells are still wanted
        found = [repr(error)]
    if found:
        wrong.append(f"{feature.name} / {form.name}: {found[0]}")
        return "WRONG"
    return feature.refused.get(form.name, "ok")


sys.exit(main())
