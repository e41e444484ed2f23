from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K228",
    name="ambiguous-variant",
    severity=Severity.ERROR,
    title="several enums have this variant",
    explanation="""\
A variant may be written without its enum where only one enum in sight has a variant of that name.
Here several do: write `Enum.Variant`.

In the patterns of a `match` there is no such doubt, since the value that is matched tells the enum.
""",
    bad="""\
enum Lamp { Off; Lit; }
enum Door { Off; Shut; }

fn start() -> Bool {
  let state = Off;
  return state == Lamp.Lit;
}
""",
    good="""\
enum Lamp { Off; Lit; }
enum Door { Off; Shut; }

fn start() -> Bool {
  let state = Lamp.Off;
  return state == Lamp.Lit;
}
""",
)
