from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K501",
    name="uneven-exchange",
    severity=Severity.ERROR,
    title="an exchange that not every lane reaches alike",
    explanation="""\
On a device a group is a workgroup, and `exchange` passes values between barriers: a lane that
stays away would leave the others waiting, or reading what nobody wrote. So every lane of a group
must come to each exchange, the same number of times.

An exchange is refused under a branch, a `match`, a loop bound, an `until`, an early `return` or a
short-circuit that turns on what a lane holds alone: its `sample`, `lane()`, `index()`, a value
exchanged at a lane's own number. Params, literals, sizes, `group()`, reads at a shared address
and values exchanged at a shared lane number are the same for all lanes, and may steer one. Values
are not compared: what a branch picks counts as different even where its arms are equal.

The usual repair turns the guard into data: all lanes exchange, and each decides afterwards what
to keep.
""",
    bad="""\
kernel signal.left@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group 64 {
    let x = sample(line);
    if lane() > 0 { return exchange(x, lane() - 1); }
    return x;
  }
}
""",
    good="""\
kernel signal.left@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group 64 {
    let x = sample(line);
    let left = exchange(x, lane() - 1);
    return if lane() > 0 { left } else { x };
  }
}
""",
)
