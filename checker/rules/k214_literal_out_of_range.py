from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K214",
    name="literal-out-of-range",
    severity=Severity.ERROR,
    title="a literal is outside its type",
    explanation="""\
An Int holds -2147483648 to 2147483647, and a Float up to about 3.4e38. A literal beyond that cannot
mean what it says. Arithmetic is another matter: on Ints it wraps, also in constants.

Hexadecimal and binary literals are patterns of 32 bits, so `0xFFFFFFFF` is fine and is -1.
""",
    bad="""\
const ALL_BITS: Int = 4294967295;
""",
    good="""\
const ALL_BITS: Int = 0xFFFFFFFF;
""",
)
