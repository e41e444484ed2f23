from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K212",
    name="recursive-type",
    severity=Severity.ERROR,
    title="a type may not contain itself",
    explanation="""\
Values lie flat in memory and there are no pointers, so a type that contains itself would be
endlessly large. The notes show the circle.

Refer to other elements by their index in a field: a tree is a `Rows<Node>` whose nodes hold the
Ints of their children, with -1 for none.
""",
    bad="""\
struct Node {
  value: Float;
  left: Node;
  right: Node;
}
""",
    good="""\
struct Node {
  value: Float;
  left: Int;
  right: Int;
}
""",
)
