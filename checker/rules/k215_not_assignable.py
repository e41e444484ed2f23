from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K215",
    name="not-assignable",
    severity=Severity.ERROR,
    title="this cannot be assigned to",
    explanation="""\
Only a `var`, or a part of one, can be given a new value. What `let` declares, parameters,
constants, params, ports and the carried value of a scan stay as they are.

The outputs of a kernel are what its body returns; memory is written by `put`. In an assignment a
swizzle may stand only last and names each component once: `v.xy = …`, not `v.xx = …`.
""",
    bad="""\
fn steps(limit: Int) -> Int {
  let total = 0;
  for i in 0..limit {
    total += i;
  }
  return total;
}
""",
    good="""\
fn steps(limit: Int) -> Int {
  var total = 0;
  for i in 0..limit {
    total += i;
  }
  return total;
}
""",
)
