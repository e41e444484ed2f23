from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K308",
    name="output-shape",
    severity=Severity.ERROR,
    title="the output's shape does not fit the mode",
    explanation="""\
The mode decides the shape of what comes out. A reduction gives `Rows` of one element; scan and
prefix give `Rows` with an element for each one walked, row by row where a grid is walked; a scatter
gives a field like its target. The outputs of a map or group share one domain, so they are all Rows,
all Grids or all Volumes.
""",
    bad="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Grid<Int>;
  prefix over values with sum { return sample(values); }
}
""",
    good="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  prefix over values with sum { return sample(values); }
}
""",
)
