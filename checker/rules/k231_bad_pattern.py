from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K231",
    name="bad-pattern",
    severity=Severity.ERROR,
    title="the pattern does not fit the value",
    explanation="""\
The pattern can never be of the type of the value that is matched, or it is malformed: an Int is
matched by literals and ranges, a Bool by `true` and `false`, an enum by its variants with the
fields that they have. Floats, vectors and structs cannot be matched; use `if`.

A bare name is a variant, never a new local. Alternatives (`A | B`) bind nothing, and a range goes
upwards.
""",
    bad="""\
fn wheels(count: Int) -> Bool {
  return match count {
    true => true,
    _ => false,
  };
}
""",
    good="""\
fn wheels(count: Int) -> Bool {
  return match count {
    2 | 4 => true,
    _ => false,
  };
}
""",
)
