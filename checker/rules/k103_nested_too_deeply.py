from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K103",
    name="nested-too-deeply",
    severity=Severity.ERROR,
    title="too many levels of nesting",
    explanation="""\
Expressions, blocks and types may nest only so deep, since every part of the tool has to walk them.
People do not reach the limit; generated code may.

Give inner parts a name with `let`, or move them into functions. A long chain such as `a + b + c +
…` is not nested and may be as long as you like.
""",
)
