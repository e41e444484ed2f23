from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K314",
    name="emit-not-allowed",
    severity=Severity.ERROR,
    title="`emit` is not allowed here",
    explanation="""\
`emit(pair);` gives a scatter more than the one pair that its body returns. It stands only in a
scatter, or in functions that a scatter calls, and only where the order of the pairs cannot show:
with `min`, with `max`, or with a `sum` that holds no Floats.
""",
    bad="""\
kernel board.fill@1 {
  requires { field.read; field.write; }
  input moves: Rows<Int>;
  input board: Rows<Int>;
  output result: Rows<Int>;
  struct Mark { cell: Int; player: Int; }
  scatter over moves into board with last {
    let cell = sample(moves);
    emit(Mark { cell: cell + 1, player: 1 });
    return Mark { cell: cell, player: 1 };
  }
}
""",
    good="""\
kernel board.fill@1 {
  requires { field.read; field.write; }
  input moves: Rows<Int>;
  input board: Rows<Int>;
  output result: Rows<Int>;
  struct Mark { cell: Int; player: Int; }
  scatter over moves into board with max {
    let cell = sample(moves);
    emit(Mark { cell: cell + 1, player: 1 });
    return Mark { cell: cell, player: 1 };
  }
}
""",
)
