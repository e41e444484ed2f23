from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K106",
    name="file-too-large",
    severity=Severity.ERROR,
    title="the file is too large",
    explanation="""\
A file may have 1048576 characters. Kernels are small programs; a larger file is most often data
under the wrong name.

Bind large tables as inputs and read them by `at`, rather than writing them as array literals.
""",
)
