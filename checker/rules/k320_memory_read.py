from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K320",
    name="memory-read",
    severity=Severity.ERROR,
    title="memory is read by `at` only",
    explanation="""\
A scan's memory is read by `at(m, i)`, written by `put(m, i, value);` and measured by `size(m)`. It
is not walked along with the input, so `sample` has no meaning for it, and it has no extent.
""",
    bad="""\
kernel machine.count@1 {
  requires { field.read; field.write; }
  input keys: Rows<Int>;
  memory counts: Rows<Int>;
  output result: Rows<Int>;
  scan over keys with before = 0 {
    put(counts, sample(keys), before + 1);
    return sample(counts);
  }
}
""",
    good="""\
kernel machine.count@1 {
  requires { field.read; field.write; }
  input keys: Rows<Int>;
  memory counts: Rows<Int>;
  output result: Rows<Int>;
  scan over keys with before = 0 {
    put(counts, sample(keys), before + 1);
    return at(counts, sample(keys));
  }
}
""",
)
