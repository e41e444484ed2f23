from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K325",
    name="not-filterable",
    severity=Severity.ERROR,
    title="these elements cannot be filtered",
    explanation="""\
`sample(f, p)` reads between elements and mixes the nearest ones, which needs Floats, vectors or
matrices. Ints, Bools, structs and enums cannot be mixed.

Read one of them by `at(f, i)`, or keep the part to be filtered in a field of its own.
""",
    bad="""\
kernel table.lookup@1 {
  requires { field.read; field.write; }
  input table: Rows<Int>;
  output result: Rows<Int>;
  compute { return sample(table, place()); }
}
""",
    good="""\
kernel table.lookup@1 {
  requires { field.read; field.write; }
  input table: Rows<Int>;
  output result: Rows<Int>;
  compute { return at(table, int(place() * float(size(table)))); }
}
""",
)
