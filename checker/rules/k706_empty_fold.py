from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K706",
    name="empty-fold",
    severity=Severity.ERROR,
    title="a reduction needs an element",
    explanation="""\
A reduction folds the results of its elements, and without any element there is no result: a merge
has no neutral value to begin with.

```
kcheck run total.kernel -i values=[]          # nothing to fold
kcheck run total.kernel -i values=[0]
```

If empty inputs are to be expected, test for them before running the kernel.
""",
)
