"""Writes `docs/syntax.md` from the grammar: run it after changing one.

python scripts/syntax_docs.py

The rules are those of `kernel.tx`, as textX understands them; the words and the examples beside them are here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kcheck.grammar.generator.cache import GRAMMAR
from kcheck.grammar.generator.reader import read_grammar
from kcheck.grammar.generator.reference import kernel_metamodel
from kcheck.grammar.generator.shapes import (
    Assign,
    Call,
    Choice,
    Expression,
    Literal,
    Look,
    Maybe,
    Regex,
    Repeat,
    Rule,
    Sequence,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "syntax.md"

HEAD = """# Syntax

Every construct of the language, made from the grammar that the parser itself is made from. What the constructs mean is
in [language.md](language.md).

In a rule, `this` stands as it is, and links lead to other rules. `|` stands between alternatives; what has a **?** may
be left out, **\\*** is any number, **+** one or more. Blanks, line breaks and comments (`// …` up to the line's end,
`/* … */`) may stand between any two words or signs; `/// …` describes the item or member after it.
"""


class Entry(NamedTuple):
    """What the page says of a rule: its name, a sentence, an example, and what the example stands in."""

    title: str
    text: str
    example: str = ""
    around: str = "{}"


MEMBER, ENTRY = "kernel k@1 {{ {} }}", "scene s {{ {} }}"
SETTING, BINDING = "scene s {{ node n: k@1 {{ {} }} }}", "kernel k@1 {{ example e {{ {} }} }}"
STATEMENT, VALUE = "fn f() {{ {} }}", "fn f() {{ let x = {}; }}"
TYPE, PATTERN, FIELD = "const C: {} = 0;", "fn f() {{ match x {{ {} => 0 }} }}", "struct S {{ {} }}"

ENTRIES: dict[str, Entry] = {
    "File": Entry("file", "A file is a list of items, in any order.", "use signal.fft;\nconst N: Int = 64;"),
    "Item": Entry("item", "What a file consists of."),
    "Use": Entry("use", "Brings in the items of a package's file.", "use signal.fft;"),
    "Const": Entry("constant", "A value that is known before anything runs.", "const N: Int = 64;"),
    "Struct": Entry("struct", "A type of named fields.", "struct Light { color: Vec3; power: Float; }"),
    "FieldDecl": Entry("field", "A field of a struct or variant; the last needs no sign after it.", "x: Int;", FIELD),
    "Enumeration": Entry("enum", "A type of alternatives.", "enum Shape { Dot; Disc { r: Float; } }"),
    "VariantDecl": Entry(
        "variant", "One alternative, with fields of its own or none.", "enum E { Disc { r: Float; } }"
    ),
    "VariantBody": Entry("variant body", "The fields of a variant.", "enum E { Disc { r: Float; } }"),
    "Function": Entry(
        "function", "Without a result it is called as a statement.", "fn twice(x: Float) -> Float { x * 2.0 }"
    ),
    "Parameter": Entry("parameter", "A parameter of a function.", "fn f(x: Float) {}"),
    "Kernel": Entry("kernel", "A kernel, with its name and version.", "kernel map.twice@1 { compute { 1.0 } }"),
    "KernelMember": Entry("member", "What a kernel consists of, in any order."),
    "Requires": Entry("requires", "The permissions that the kernel needs.", "requires { field.read; }", MEMBER),
    "Port": Entry("port", "A field that the kernel reads, gives or keeps.", "input source: Grid<Float>;", MEMBER),
    "Param": Entry("param", "One value for a whole run.", "param k: Float = 0.5 in 0.0..1.0;", MEMBER),
    "ReductionBody": Entry("reduction", "Folds an input to one element.", "compute over x { sample(x) }", MEMBER),
    "MapBody": Entry("map", "Runs once for each element of the output.", "compute { sample(x) * 2.0 }", MEMBER),
    "ScanBody": Entry("scan", "Walks an input in order.", "scan over x with y = 0.0 { y + sample(x) }", MEMBER),
    "ScatterBody": Entry(
        "scatter", "Puts pairs into a target.", "scatter over x into t with sum { Hit { at: 0, v: 1 } }", MEMBER
    ),
    "PrefixBody": Entry("prefix", "Combines all elements up to each.", "prefix over x with max { sample(x) }", MEMBER),
    "GroupBody": Entry("group", "A map whose lanes trade values.", "group 8 { exchange(sample(x), 0) }", MEMBER),
    "Merge": Entry("merge", "How a reduction folds two results into one.", "merge(a, b) { a + b }", MEMBER),
    "Example": Entry("example", "Values to run with.", "example ramp { x = [1, 2]; expect y = [2, 4]; }", MEMBER),
    "ExampleEntry": Entry("example entry", "A value that is bound or expected.", "expect y = [2, 4];", BINDING),
    "Scene": Entry("scene", "Kernels joined to a graph.", "scene s { input a: Image; output b <- a; }"),
    "SceneEntry": Entry("scene entry", "What a scene consists of, in any order."),
    "SceneInput": Entry("scene input", "A field that comes from outside.", "input photo: Image;", ENTRY),
    "SceneOutput": Entry("scene output", "A field that the scene gives.", "output picture <- blur.result;", ENTRY),
    "SceneNode": Entry("node", "One use of a kernel.", "node blur: image.blur@1 { source <- photo; }", ENTRY),
    "NodeSetting": Entry("setting", "What binds the ports of a node, and its options."),
    "Carry": Entry("carry", "What the next of several rounds takes.", "carry source <- result;", SETTING),
    "Binding": Entry("binding", "A port takes a field.", "source <- photo;", SETTING),
    "Feedback": Entry("feedback", "A port takes the last evaluation's field.", "ram <~ cpu.ram from a.b;", SETTING),
    "Setting": Entry("option or param", "A value for an option or param.", "radius = 0.5;", SETTING),
    "Like": Entry("like", "The size of another field.", "domain = like blur.result;", SETTING),
    "Reference": Entry("source", "An output of a node, or an input of the scene.", "source <- blur.result;", SETTING),
    "Type": Entry("type", "A type of a value or port."),
    "ArrayType": Entry("array type", "A fixed number of elements.", "[Float; 4]", TYPE),
    "NamedType": Entry("named type", "A type by its name; ports name their elements too.", "Grid<Vec3>", TYPE),
    "Block": Entry(
        "block",
        "Statements, the last of which may be a value. A block whose first tokens are a name and `:` is a record.",
        "{ let y = x * x; y + 1.0 }",
        VALUE,
    ),
    "Statement": Entry("statement", "What a block consists of."),
    "Let": Entry("declaration", "`let` never changes, `var` may be assigned.", "var total: Float = 0.0;", STATEMENT),
    "For": Entry(
        "for", "`..` leaves out the end, `..=` holds it.", "for i in 0..n until done { total += i; }", STATEMENT
    ),
    "Loop": Entry("loop", "So many rounds at most.", "loop 8 until done { step(); }", STATEMENT),
    "Return": Entry("return", "Leaves a function or body.", "return x;", STATEMENT),
    "BraceStatement": Entry(
        "brace statement", "One that begins with `if`, `match` or `{` ends at its brace.", "if a { b = 1; }", STATEMENT
    ),
    "BraceExpr": Entry("brace expression", "What may begin a brace statement."),
    "ValueStatement": Entry(
        "assignment or value", "Before a `}` a value needs no `;`: it is the block's.", "total += 1.0;", STATEMENT
    ),
    "Expr": Entry(
        "expression", "Operators bind as in C, but `&`, `^`, `|` tighter than comparisons.", "a + b * c", VALUE
    ),
    "Unary": Entry("operand", "Signs before a value, and calls, indices and fields after it.", "-a.b[0]", VALUE),
    "Primary": Entry("primary", "A value that needs no operator."),
    "HeadExpr": Entry(
        "header expression",
        "In the header of `if`, `match`, `for`, `loop` and `group` a brace opens the block that follows.",
        "if a < b { c = 1; }",
        STATEMENT,
    ),
    "HeadUnary": Entry("header operand", "As an operand, without braces.", "if -a { b = 1; }", STATEMENT),
    "HeadPrimary": Entry("header primary", "As a primary, without braces but those of `if` and `match`."),
    "ScanInit": Entry(
        "first value of a scan",
        "Only a name, `{`, a name and `:` begin a struct value there.",
        "scan over x with y = S { a: 0 } { y }",
        MEMBER,
    ),
    "Variable": Entry("name or struct value", "A name, or a struct or variant with fields.", "Disc { r: 1.0 }", VALUE),
    "StructBody": Entry("fields of a value", "The fields of a struct value.", "Disc { r: 1.0 }", VALUE),
    "FieldValue": Entry("field value", "A field with its value.", "Disc { r: 1.0 }", VALUE),
    "Parens": Entry("parentheses", "Several values are a size, in examples and scenes.", "(a + b)", VALUE),
    "Array": Entry("array", "Some values, or one value so many times.", "[0.0; 4]", VALUE),
    "If": Entry("if", "Has a value where its blocks end in one.", "if a { 1.0 } else { 2.0 }", VALUE),
    "ElseIf": Entry("else if", "A further condition.", "if a { 1 } else if b { 2 } else { 3 }", VALUE),
    "Match": Entry("match", "Its arms cover every value.", "match x { 0 => 1.0, _ => 2.0 }", VALUE),
    "Arm": Entry("arm", "A comma ends a value, and may follow a block.", "match x { 1 | 2 => 1.0, _ => 2.0 }", VALUE),
    "Suffix": Entry("suffix", "What may follow a value."),
    "Call": Entry("call", "Arguments are given in order.", "max(a, b)", VALUE),
    "Argument": Entry("argument", "Only examples name some: `random(8, seed = 1)`."),
    "KeywordArgument": Entry("named argument", "In examples only.", "x = random(8, seed = 1);", BINDING),
    "Index": Entry("index", "An element of an array, a component of a vector.", "a[0]", VALUE),
    "Member": Entry("access", "A field, some components, or a variant.", "p.xy", VALUE),
    "Pattern": Entry("pattern", "What an arm fits."),
    "NumberPattern": Entry("number pattern", "A whole number, or a range of them.", "3..9", PATTERN),
    "BooleanPattern": Entry("truth pattern", "`true` or `false`.", "true", PATTERN),
    "Wildcard": Entry("wildcard", "Fits all.", "_", PATTERN),
    "VariantPattern": Entry("variant pattern", "A variant, and names for its fields.", "Disc { r: radius }", PATTERN),
    "PatternBody": Entry("fields of a pattern", "Fields may be left out.", "Disc { r }", PATTERN),
    "FieldPattern": Entry("field pattern", "A field, and its new name.", "Disc { r: radius }", PATTERN),
    "Path": Entry("path", "Names with points between.", "use signal.fft;"),
    "KernelName": Entry("kernel name", "A path with a version.", "kernel stats.luma@1 { compute { 1.0 } }"),
}

TOKENS = {
    "NameToken": ("name", "Letters, digits and `_`, no digit first, and none of the reserved words.", "`light_2`"),
    "VersionToken": ("version", "A whole number.", "`1`"),
    "NumberToken": (
        "number",
        "An Int in decimal, hex or binary; a Float has digits on both sides of its point, or an exponent.",
        "`12`, `1_000`, `0xFF`, `0b10`, `0.5`, `1e-3`",
    ),
    "PatternNumberToken": ("whole number", "An Int, with a `-` before it where it is negative.", "`-3`"),
    "StringToken": ("string", "In examples only.", '`"photo.png"`'),
    "OperatorToken": (
        "operator",
        "From the loosest to the tightest: `||`; `&&`; `==` `!=` `<` `<=` `>` `>=`; `|`; `^`; `&`; `<<` `>>` `>>>`; "
        "`+` `-`; `*` `/` `%`.",
        "`a + b`",
    ),
    "PrefixToken": ("sign before a value", "`-` negates, `!` is not, `~` turns all bits.", "`!done`"),
    "AssignOperator": (
        "assignment sign",
        "`=`, or an operator with `=`: `+=` `-=` `*=` `/=` `%=` `&=` `|=` `^=` `<<=` `>>=` `>>>=`.",
        "`x += 1`",
    ),
}
SIGNS = {
    "BooleanToken": "`true` | `false`",
    "WildcardToken": "`_`",
    "AssignSign": "`=`",
    "RangeSign": "( `..` | `..=` )",
    "Dot": "`.`",
    "StatementEnd": "`;`",
    "FieldEnd": "( `;` | `,` )",
    "ArmEnd": "`,`",
    "OptionalSeparator": "( `;` | `,` )**?**",
    "OptionalComma": "`,`**?**",
}
# These only wrap a token.
PLAIN = frozenset(
    {"Name", "Operator", "Prefix", "Number", "Boolean", "String", "PatternNumber", "HeadVariable", "IfStart"}
)


def rules() -> dict[str, Rule]:
    grammar = read_grammar(kernel_metamodel(), GRAMMAR.read_text(encoding="utf-8"))
    return {rule.name: rule for rule in grammar.rules}


def sections() -> Iterator[tuple[str, list[str]]]:
    """The sections of the grammar's text, each with the names of its rules."""
    title, names = "files", list[str]()
    for line in GRAMMAR.read_text(encoding="utf-8").splitlines():
        if line.startswith("// ---- "):
            yield title, names
            title, names = line.removeprefix("// ---- "), []
        elif found := re.match(r"(\w+):", line):
            names.append(found[1])
    yield title, names


def page() -> str:
    known = rules()
    parts = [HEAD]
    for title, names in sections():
        shown = [name for name in names if name in known and name not in PLAIN and name in ENTRIES]
        parts.append(f"## {title.capitalize()}\n")
        parts += [_rule(known[name]) for name in shown]
    parts += [f"### {title}\n\n{text} {example}\n" for title, text, example in TOKENS.values()]
    return "\n".join(parts)


def _rule(rule: Rule) -> str:
    entry = ENTRIES[rule.name]
    example = f"\n```\n{entry.example}\n```\n" if entry.example else ""
    return f"### {entry.title}\n\n{entry.text}\n\n> {show(rule.body)}\n{example}"


def show(expression: Expression) -> str:
    """An expression of the grammar, with links."""
    match expression:
        case Literal(text):
            return f"`{text}`"
        case Regex(name=name):
            return SIGNS[name] if name in SIGNS else _link(TOKENS[name][0])
        case Call(rule):
            return (
                show(rule.body) if rule.name in PLAIN or rule.name not in ENTRIES else _link(ENTRIES[rule.name].title)
            )
        case Assign(value=value):
            return show(value)
        case Sequence(parts):
            return " ".join(text for part in parts if (text := _grouped(part, Choice)))
        case Choice(ways):
            return " | ".join(map(show, ways))
        case Maybe(body):
            return f"{_grouped(body, Choice, Sequence)}**?**"
        case Repeat(body, needed):
            return f"{_grouped(body, Choice, Sequence)}**{'+' if needed else chr(92) + '*'}**"
        case Look():
            return ""


def _grouped(expression: Expression, *kinds: type) -> str:
    text = show(expression)
    return f"( {text} )" if isinstance(expression, kinds) and " " in text else text


def _link(title: str) -> str:
    return f"[{title}](#{title.replace(' ', '-')})"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
