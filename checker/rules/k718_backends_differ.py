from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K718",
    name="backends-differ",
    severity=Severity.ERROR,
    title="two backends gave different bits",
    explanation="""\
A kernel was run on two backends to compare them, and an element came out differently. For what
the language defines this never happens: the same program gives the same bits everywhere.

What is left open is how a reduction of Floats is grouped, for rounding makes float sums differ in
their last bits; such kernels may show this finding and be right. Any other difference is a fault
of a backend or of a graphics driver: please report the kernel with its values.
""",
)
