from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K103",
    name="nested-too-deeply",
    severity=Severity.ERROR,
    title="too many levels of nesting",
    explanation="""\
Expressions, blocks and types may nest 256 levels deep, since every part of the tool has to walk
them. People do not reach the limit; generated code may. A chain such as `a + b + c + …` counts
too: each operator has what stands before it as its left side.

Give inner parts a name with `let`, or move them into functions; add up long lists in a loop.
""",
)
