from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K226",
    name="not-a-value",
    severity=Severity.ERROR,
    title="this is not a value",
    explanation="""\
Ports, types and functions have names but are no values: they cannot be stored, returned or computed
with. A port is read by `sample(f)` for the element at this place or `at(f, i)` for one at an
address; a function is called.

Likewise `Rows<T>`, `Grid<T>` and `Volume<T>` are the types of ports only. Locals, parameters and
struct fields hold values; for several values of one type use an array, `[T; N]`.
""",
    bad="""\
kernel sound.louder@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute { return samples * 2.0; }
}
""",
    good="""\
kernel sound.louder@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(samples) * 2.0; }
}
""",
)
