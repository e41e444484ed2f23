from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K306",
    name="missing-merge",
    severity=Severity.ERROR,
    title="a reduction has no merge",
    explanation="""\
`compute over x { … }` makes one result from each element, and `merge(a, b) { … }` makes one of two
results until a single one is left. Without the merge there is nothing to fold with.

It is what Futhark calls `reduce_comm`, only without a neutral element, for a fold starts from the
elements. The merge is applied in whatever grouping and order suits the machine; so it has to be
associative and commutative.

If a result for each element is wanted, write `compute { … }`.
""",
    bad="""\
kernel stats.total@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
}
""",
    good="""\
kernel stats.total@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return a + b; }
}
""",
)
