from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K101",
    name="syntax",
    severity=Severity.ERROR,
    title="this is not Kernel syntax",
    explanation="""\
The text does not follow the grammar at the place that the carets mark. Reading goes on at the next
statement, member or item, so one slip does not hide what else there is to say.

Coming from other languages: statements end in `;`, `let` and `var` declare locals (there is no
`const` inside a function), conditions stand without parentheses, and the value of a block is its
last expression without a `;`. There is no `while`, `break` or `continue`: every loop has bounds, as
in `for i in 0..n until done { … }`.
""",
    bad="""\
fn twice(x: Float) -> Float {
  return x * 2.0
}
""",
    good="""\
fn twice(x: Float) -> Float {
  return x * 2.0;
}
""",
)
