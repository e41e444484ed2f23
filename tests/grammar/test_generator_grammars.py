"""The generator on small grammars: each construct that it models, and each that it refuses.

The texts are whatever some tokens can form: textX decides what is right.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from textx import metamodel_from_file, metamodel_from_str

from kcheck.grammar.generator.module import generate
from kcheck.grammar.generator.shapes import Unsupported
from tests.grammar.readings import both, differences

CASES: dict[str, tuple[str, str, int]] = {
    # name: grammar, tokens, the most of them in a text
    "plain assignments": ("R: 'a' x=INT 'b' y=ID;", "a b 1 23 c ␣", 5),
    "defaults": ("R: 'a' (i=INT | f=FLOAT | s=STRING | b=BOOL | n=NUMBER | t=BASETYPE | o=X)?; X: y='x';", "a 1 x", 3),
    "base types": (
        "R: (i=INT ';' f=FLOAT ';' g=STRICTFLOAT ';')? s=STRING? b=BOOL? w=ID?;",
        "1 .5 1.5 ; 'q\\'q' true z",
        5,
    ),
    "numbers of both kinds": ("R: x*=NUMBER[','];", "1 1.5 -2 1e3 , x", 5),
    "any base type": ("R: x*=BASETYPE[','];", "1 1.5 true x 'y' ,", 5),
    "zero or more": ("R: x*=A 'b'?; A: 'a' n=INT;", "a 1 b", 6),
    "one or more": ("R: x+=A 'b'?; A: 'a' n=INT;", "a 1 b", 6),
    "flags": ("R: a?='a' b?=B c?='c' 'd'?; B: 'b' | '1';", "a b c d 1", 4),
    "a separator": ("R: x*=A[','] ','?; A: n=INT;", "1 , ␣ x", 6),
    "a separator that nothing follows": ("R: a=L 'x'?; L: x+=A[','] ; A: n=INT;", "1 , x", 6),
    "a separator that is a pattern": ("R: (x+=ID[/[,;]+/]) '.'?;", "a , ; .", 6),
    "separated groups": ("R: (a=ID b=INT)*[','] 'end'?;", "a 1 , end", 6),
    "a list by a repetition": ("R: (x=INT ',')* (y=ID ';')+ 'z'?;", "1 , a ; z", 6),
    "a list by two assignments": ("R: x=INT (',' x=INT)? (';' y=INT)?;", "1 2 , ; x", 6),
    "groups that fail midway": ("R: (a=INT b=ID 'x')? (a2=INT c=ID)? ('q' d+=INT 'x')? ('q' d2+=INT)?;", "1 a x q", 6),
    "lists in groups that fail midway": ("R: ((a=INT b=ID)* 'x')* (c=INT d=ID)*;", "1 a x", 7),
    "choices": ("R: x=INT 'a' | x=INT 'b' y=ID | 'c' (x=INT | y=ID 'd' | y=ID)?;", "1 a b c d", 5),
    "choices in choices": ("R: ('a' ('b' | 'c' x=INT) | 'a' ('c' y=ID | 'd')) 'e'?;", "a b c d e 1", 5),
    "an abstract rule": ("R: x*=T; T: A | B | C; A: 'a' n=INT; B: 'a' n=ID; C: 'c';", "a b 1 c", 5),
    "abstract rules in each other": (
        "R: x*=T; T: U | A; U: B | C; A: 'a' n=INT; B: 'b' n=A?; C: 'c' n=ID;",
        "a b c 1",
        5,
    ),
    "terminals around an alternative": (
        "R: x*=T; T: '(' T ')' | '<' A B '>' | A; A: n=INT; B: m=ID;",
        "( ) < > 1 a",
        5,
    ),
    "terminals as alternatives": ("R: x*=T; T: 'x' | INT | W | A; W: 'w' | 'v' 'u'; A: 'a' n=INT;", "x 1 w v u a", 4),
    "an alias": ("R: x*=T y=V?; T: A; A: 'a' n=N; N: INT; V: W; W: 'v' 'w';", "a 1 v w", 5),
    "an abstract first rule": ("R: A | B; A: 'a' n=INT; B: 'a' 'b' n=ID;", "a b 1", 4),
    "match rules": ("R: x*=M; M: 'a' | 'b' 'c' | 'd' INT ID? | N; N: 'e' 'f'? | INT '%'?;", "a b c d e f 1 %", 4),
    "match rules that repeat": ("R: x*=M[';']; M: ('a' | INT)+ 'b'* 'c'; ", "a b c 1 ;", 6),
    "match rules with a separator": ("R: x=M '.'?; M: 'a' INT+[','] ','? 'c'*[/;/];", "a 1 , c ;", 6),
    "match rules that fail midway": ("R: x*=M; M: ('a' 'b' 'c')? ('a' 'b' | 'a')* 'd';", "a b c d", 6),
    "a match rule of a converted name": ("R: x*=INT; INT: '1' '0'* | '-' '1';", "1 0 -", 5),
    "a rule of no assignment": ("R: A x=INT? A? M; A: 'a' n=INT; M: 'm' | 'n' 'm';", "a 1 m n", 5),
    "a look": ("R: (&'a' x=ID | !'b' y=ID | z='b') 'c'?;", "a b c d", 3),
    "a look at a group": (
        "R: (&(x=A 'b') a=A | !('c' 'd' | 'e') y=ID 'd'? | z=ID) 'b'?; A: 'a' n=INT;",
        "a 1 b c d e",
        4,
    ),
    "a look at a rule": ("R: !A &B x=ID 'c'? d=INT?; A: 'a' n=INT; B: 'a' 'c' | n=ID;", "a 1 c d", 4),
    "looks in looks": ("R: (!(!'a' ID) x=ID | &(&'b' ID 'c') x=ID 'c')+ !'d';", "a b c d", 4),
    "a look before blanks": ("R: 'a' !'b' x=ID? ';'*; ", "a b c ; ␣", 4),
    "a look after something empty": ("R: 'a' E !'b' x=ID?; E: /;?/;", "a b c ; ␣", 5),
    "a look first": ("R: !'b' x=ID 'c'?; Comment: /#[^\\n]*/;", "a b c #␤ ␣", 4),
    "matches of no length": ("R: x=A* E y=F 'z'?; A: 'a' E; E: /;?/; F: /,|(?=z)|$/;", "a ; , z ␣", 5),
    "an empty text": ("R: x*=A; A: 'a' n=INT;", "a 1 ␣ #", 4),
    "a pattern": (r"R: x*=/\d+|[a-c]x/ y=/(?i)[q-s]+/ z=/\bw|$/;", "1 a x Q w ␣", 5),
    "patterns of Unicode": (r"R: x*=/[À-ÿ]+/ y=/[^a]/? z=/\w/;", "é a ß 1", 4),
    "keywords": ("R: ('let' x=ID | 'letter' y=ID)*;", "let ter letter a ␣", 4),
    "comments": ("R: x*=INT; Comment: /#[^\\n]*/;", "1 # ␤ ␣", 5),
    "comments of several kinds": ("R: x*=INT; Comment: A | B | '~'; A: /#[^\\n]*/; B: /<[^>]*>/;", "1 # ␤ < > ~", 5),
    "names that Python takes": (
        "R: in=INT class=ID? pos=None? end*=Node; None: 'n' src=ID; Node: 'm' match=x_; x_: self=INT;",
        "1 a n m",
        5,
    ),
    "rules of one name but for its case": ("R: a=a b=A?; a: x=INT; A: x=ID;", "1 b", 3),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "keywords": {"autokwd": True},
    "a look before blanks": {"ws": " "},
    "defaults": {"auto_init_attributes": False},
    "comments": {"ws": "\n"},
}
TEXTS = int(os.environ.get("KCHECK_TEXTS", "1000"))
SIGNS = str.maketrans({"␣": " ", "␤": "\n"})


def texts(tokens: str, most: int) -> list[str]:
    """What some tokens can form, without anything between them and with blanks; of many all short and some others."""
    known = [token.translate(SIGNS) for token in tokens.split()]
    rows = [row for length in range(most + 1) for row in product(known, repeat=length)]
    every = list(dict.fromkeys(between.join(row) for row in rows for between in ("", " ")))
    short, others = every[: TEXTS // 2], every[TEXTS // 2 :]
    return short + Random(tokens).sample(others, min(len(others), TEXTS // 2))


@pytest.mark.parametrize("name", CASES)
def test_modelled(name: str) -> None:
    grammar, tokens, most = CASES[name]
    reference, generated = both(grammar, **OPTIONS.get(name, {}))
    written = texts(tokens, most)
    assert differences(written, reference, generated) == []
    assert any(generated(text)[0] for text in written)


GROUPS = "(" * 17 + "x=INT" + "','?)*" * 17
REFUSED = [
    # a part of the message, grammar
    ("an unordered group (#)", "R: (a=INT b=ID)#;"),
    ("a suppressed match (-)", "R: 'a'- b=INT;"),
    ("a suppressed match (-)", "R: A- b=INT; A: 'x' 'y';"),
    ("the modifier eolterm", "R: a+=INT[eolterm];"),
    ("the modifier eolterm", "R: (a=INT 'x')*[eolterm];"),
    ("the modifier skipws", "R[noskipws]: 'a' b=INT;"),
    ("the modifier ws", "R[ws=' ']: 'a' b=INT;"),
    ("the modifier split", "R[split='/']: 'a' b=INT;"),
    ("the reference to an object in `b`", "R: a=A b=[A]; A: name=ID;"),
    ("an attribute named `parent`", "R: parent=INT;"),
    ("an attribute named `_a`", "R: _a=INT;"),
    ("an attribute named `é`", "R: é=INT;"),
    ("an attribute named `1`", "R: 1=INT;"),
    ("a rule named `sep`", "R: a+=sep; sep: /[,;]/;"),
    ("a first rule that makes no object", "R: 'a' | INT;"),
    ("a first rule that makes no object", "R: INT;"),
    ("a rule Comment that is no choice of terminals", "R: a=INT; Comment: '#' 'x';"),
    ("a comment that may match nothing", "R: a=INT; Comment: /x*/;"),
    ("a comment whose pattern refers to groups", r"R: a=INT; Comment: /(x|y)z\1/;"),
    ("or sets flags", "R: a=INT; Comment: /(?i)x/;"),
    ("left recursion in the rule E", "R: e=E; E: l=E '+' r=INT | n=INT;"),
    ("left recursion in the rule E", "R: e=E; E: 'x'? &'y'? F; F: E 'z' n=INT;"),
    ("two assignments to `a`", "R: (a=INT | b=ID) a=INT;"),
    ("`a?=` beside other assignments", "R: a?='x' (a=INT)*;"),
    ("the empty text", "R: a=INT '';"),
    ("the alternative `'b'?`, which may match nothing,", "R: 'a' (x=INT | 'b'?);"),
    ("the alternative `/b?/`, which may match nothing,", "R: 'a' (x=INT | /b?/);"),
    ("the alternative `x*=INT`, which may match nothing,", "R: 'a' (x*=INT | 'b');"),
    ("`('b'?)?`, whose inside may match nothing,", "R: a=INT ('b'?)?;"),
    ("`(b=/x?/)?`, whose inside may match nothing,", "R: a=INT (b=/x?/)?;"),
    ("`b*=/x?/`, whose inside may match nothing,", "R: a=INT b*=/x?/;"),
    ("`b?=/x?/`, whose inside may match nothing,", "R: a=INT b?=/x?/;"),
    ("`(!'b')+`, whose inside may match nothing,", "R: a=INT (!'b')+;"),
    ("the separator `/,?/`, which may match nothing,", "R: a+=INT[/,?/];"),
    ("the reference to A, which may match nothing,", "R: a=INT b=A; A: n=INT?;"),
    ("the reference to M, which may match nothing,", "R: a=INT b=M; M: 'x'? 'y'?;"),
    ("the alternative `A? B` of an abstract rule", "R: a=T; T: A? B | C; A: n=INT; B: n=ID; C: 'c' n=ID;"),
    ("the alternative `A+` of an abstract rule", "R: a=T; T: A+ | C; A: n=INT; C: 'c' n=ID;"),
    ("the alternative `'x' 'y'` of an abstract rule", "R: a=T; T: 'x' 'y' | A; A: n=INT;"),
    ("more than 16 groups in each other", f"R: {GROUPS};"),
]


@pytest.mark.parametrize(("message", "grammar"), REFUSED)
def test_refused(message: str, grammar: str) -> None:
    with pytest.raises(Unsupported) as refusal:
        generate(metamodel_from_str(grammar), grammar)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("ignore_case", True),
        ("memoization", True),
        ("skipws", False),
        ("textx_tools_support", True),
        ("use_regexp_group", True),
        ("classes", [type("R", (), {})]),
        ("classes", lambda name: None),
    ],
)
def test_options_refused(option: str, value: object) -> None:
    with pytest.raises(Unsupported, match="option"):
        generate(metamodel_from_str("R: a=INT;", **{option: value}), "R: a=INT;")


def test_processors_refused() -> None:
    metamodel = metamodel_from_str("R: a=INT;")
    metamodel.register_model_processor(print)
    with pytest.raises(Unsupported, match="model_processors"):
        generate(metamodel, "R: a=INT;")
    metamodel = metamodel_from_str("R: a=INT;")
    metamodel.register_obj_processors({"INT": float})
    with pytest.raises(Unsupported, match="object processor"):
        generate(metamodel, "R: a=INT;")


def test_imports_refused(tmp_path: Path) -> None:
    (tmp_path / "other.tx").write_text("A: n=INT;")
    (tmp_path / "main.tx").write_text("import other R: a=A;")
    with pytest.raises(Unsupported, match="import"):
        generate(metamodel_from_file(tmp_path / "main.tx"), "import other R: a=A;")


def test_a_failing_conversion_fails_alike() -> None:
    """textX hands a converter's exception on; so does the generated parser, and reads the next text as ever."""
    reference, generated = both("R: a=INT; INT: 'x' | 'y' '1';")
    for read in (reference, generated):
        with pytest.raises(ValueError, match="invalid literal"):
            read("x")
    assert differences(["z", ""], reference, generated) == []
