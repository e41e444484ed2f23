from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K401",
    name="law-refuted",
    severity=Severity.ERROR,
    title="a merge breaks a law",
    explanation="""\
A reduction merges its results in a grouping and order of the backend's choice: a GPU folds blocks
side by side, then the blocks' results.

```
  (((a·b)·c)·d)          (a·b)·(c·d)            (c·a)·(d·b)
one after another         in blocks          as blocks get done

        ·                     ·                     ·
       / \\                  /   \\                 /   \\
      ·   d                ·     ·               ·     ·
     / \\                  / \\   / \\             / \\   / \\
    ·   c                a   b c   d           c   a d   b
   / \\
  a   b
```

All of these give one answer only if `merge`, written · here, is *associative*, `(a·b)·c =
a·(b·c)`, and *commutative*, `a·b = b·a`, for all values that a fold can reach. This one is not.
The message shows elements for which two trees give different results, as the interpreter computed
them: read both trees from the leaves (what `compute` gives) to the root, where what differs is
underlined.

Often a field is missing. The average of averages is no average; a sum and a count, divided where
the result is read, are. The larger of two, and where it is, needs a rule for ties: the smaller
position. Where order matters, a scan is the right mode, and needs no law.
""",
    bad="""\
kernel stats.average@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  compute over values { return sample(values); }
  merge(a, b) { return (a + b) * 0.5; }
}
""",
    good="""\
struct Total { sum: Float; count: Int; }

kernel stats.average@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Total>;
  compute over values { return Total { sum: sample(values), count: 1 }; }
  merge(a, b) { return Total { sum: a.sum + b.sum, count: a.count + b.count }; }
}
""",
)
