from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K213",
    name="duplicate",
    severity=Severity.ERROR,
    title="a name is declared twice",
    explanation="""\
Within one place a name stands for one thing: two functions of a file, two types, two ports of a
kernel, two fields of a struct or two variants of an enum cannot share theirs. Functions do not
overload by parameter types.

Two versions of a kernel may stand side by side: `filter.blur@1` and `filter.blur@2` are different
names.
""",
    bad="""\
struct Ray {
  origin: Vec3;
  origin: Vec3;
}
""",
    good="""\
struct Ray {
  origin: Vec3;
  direction: Vec3;
}
""",
)
