from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K102",
    name="not-utf8",
    severity=Severity.ERROR,
    title="the file is not UTF-8 text",
    explanation="""\
Source files are UTF-8 text. This one has another encoding, or holds control characters and so is no
text at all; the carets mark the first place that cannot be read.

Convert the file, for instance with `iconv -f latin1 -t utf-8 old.kernel > new.kernel`, and look at
the editor's setting for the encoding of new files.
""",
)
