from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K403",
    name="undefined-step",
    severity=Severity.ERROR,
    title="a step of a reduction has no value for some elements",
    explanation="""\
The laws of a merge are judged in real arithmetic, where some steps have no value: a division by
zero, the logarithm of a number that is not above 0, the square root of a negative one, the
direction of a vector of length 0. Here the elements of the message lead to such a step. A run
goes on with infinities or NaN, and then the result depends on the order of the fold or is of no
use; so there is no verdict on the laws either.

Guard the step (`if w == 0.0 { … } else { … }`), or keep such values out: by what `compute` gives,
or by the range of a param. A weighted mean is best kept as two sums, and divided where it is
read.
""",
    bad="""\
struct Mean { value: Float; weight: Float; }

kernel stats.weighted@1 {
  requires { field.read; field.write; }
  input points: Rows<Mean>;
  output result: Rows<Mean>;
  compute over points { return sample(points); }
  merge(a, b) {
    let weight = a.weight + b.weight;
    return Mean { value: (a.value * a.weight + b.value * b.weight) / weight, weight: weight };
  }
}
""",
    good="""\
struct Mean { total: Float; weight: Float; }

kernel stats.weighted@1 {
  requires { field.read; field.write; }
  input points: Rows<Mean>;
  output result: Rows<Mean>;
  compute over points { return sample(points); }
  merge(a, b) { return Mean { total: a.total + b.total, weight: a.weight + b.weight }; }
}
""",
)
