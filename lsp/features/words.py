"""The words of the language in a few lines each, for hovers and completion; docs/language.md has it all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """`form` shows how it is written, `text` is Markdown, `more` the heading of docs/language.md that has the rest."""

    form: str
    text: str
    more: str = ""

    @property
    def place(self) -> str:
        return "docs/language.md" + (f"#{self.more}" if self.more else "")


MODES: dict[str, Word] = {
    "compute": Word(
        "compute { … }",
        "A **map**: runs once for each element of the domain, in any order. The domain is what the caller states, or "
        "the one shape of all inputs that are read by `sample(f)`. It may have several outputs: `{ a: …, b: … }`.",
        "map",
    ),
    "compute over": Word(
        "compute over x { … }  merge(a, b) { … }",
        "A **reduction**: `compute` makes a value of each element of x, `merge` one of two. The order in which values "
        "meet is the backend's own, so `merge` has to be associative and commutative; the checker proves it or shows "
        "elements that break it. The output is `Rows` of one element; an empty input is refused.",
        "reduction",
    ),
    "scan": Word(
        "scan over x with y = start { … }",
        "A **scan**: takes the elements of x strictly one after another. What the body returns is the output of this "
        "element, and `y` for the next. Only scans own a `memory`, which `at` reads and `put` writes.",
        "scan",
    ),
    "scatter": Word(
        "scatter over x into t with op { … }",
        "A **scatter**: the body gives a pair, an address in t and a value. The output starts as a copy of t and takes "
        "in the pairs by `sum`, `min`, `max` or `last`, as if one by one in the order of x. Pairs outside of t are "
        "dropped.",
        "scatter",
    ),
    "prefix": Word(
        "prefix over x with op { … }",
        "A **prefix**: output i combines the values of the elements 0 to i, itself included, by `sum`, `min` or `max`. "
        "`sum` takes no Floats, for a backend may group as it likes; a scan adds in order.",
        "prefix",
    ),
    "group": Word(
        "group N { … }",
        "A **group**: a map whose elements run N at a time. `lane()` and `group()` tell where a run stands; "
        "`exchange(v, k)` gives the v of lane k. All lanes must come to each exchange together.",
        "group",
    ),
}
"""The six modes; a reduction under both of its words."""

WORDS: dict[str, Word] = {
    **MODES,
    "merge": Word(
        "merge(a, b) { … }",
        "Makes one value of two, beside `compute over`. It sees params, constants and functions, but no port and no "
        "place. It has to be associative and commutative for all values that a fold can reach.",
        "reduction",
    ),
    "use": Word("use a.b;", "Brings in the items of the file `a/b.kernel`.", "files-and-names"),
    "const": Word("const N: Int = 64;", "A value that is known before anything runs.", "constants"),
    "struct": Word("struct S { a: Int; b: Float; }", "A type of named fields.", "types"),
    "enum": Word(
        "enum E { Dot; Disc { r: Float; } }", "A type of several variants, each with fields of its own.", "types"
    ),
    "fn": Word("fn f(a: Int) -> Float { … }", "A function. It may not call itself.", "functions"),
    "kernel": Word("kernel a.b@1 { … }", "A program that runs for the elements of a field.", "kernels"),
    "scene": Word("scene s { … }", "A graph of kernels; read, but not yet checked or run.", "scenes"),
    "requires": Word(
        "requires { field.read; field.write; }",
        "The permissions: `field.read` for inputs and memories, `field.write` for outputs.",
        "kernels",
    ),
    "input": Word("input name: Rows<T>;", "A field that the caller binds, and the kernel reads.", "kernels"),
    "output": Word("output name: Rows<T>;", "A field that the kernel gives; it cannot be read.", "kernels"),
    "memory": Word(
        "memory name: Rows<T>;",
        "A field that a scan reads and writes. It works on a copy, which is given back after the run.",
        "scan",
    ),
    "param": Word(
        "param name: T = default in low..high;",
        "One value for the whole run. A value outside of the range is refused, never clamped; the prover relies on it.",
        "kernels",
    ),
    "example": Word(
        "example name { port = value; expect output = value; }",
        "Values to try the kernel on, and what must come out. `kcheck test` runs it on every backend.",
        "examples",
    ),
    "expect": Word("expect output = value;", "What must come out of an example; Floats to rounding.", "examples"),
    "let": Word("let x = e;", "Names a value that never changes.", "statements"),
    "var": Word("var x = e;", "Names a value that may be assigned.", "statements"),
    "if": Word("if c { … } else { … }", "A statement, or a value where both blocks end in one.", "statements"),
    "else": Word("if c { … } else { … }", "What is done, or given, where the condition is false.", "statements"),
    "match": Word(
        "match e { 0 => …, 1 | 2 => …, _ => … }", "Picks an arm; together they cover every value.", "statements"
    ),
    "for": Word(
        "for i in a..b { … }", "i from a up to b, without b (with b: `a..=b`). Bounds are taken once.", "statements"
    ),
    "in": Word("for i in a..b { … }", "What a loop runs over; after a `param`, its closed range.", "statements"),
    "loop": Word("loop n { … }", "n times; a negative count is none.", "statements"),
    "until": Word("loop n until c { … }", "Ends the loop when c is true before a round.", "statements"),
    "return": Word("return e;", "Leaves the function or body with a value.", "statements"),
    "true": Word("true", "The Bool that is true."),
    "false": Word("false", "The Bool that is false."),
    "over": Word("over x", "The input whose elements the body runs for.", "the-six-modes"),
    "into": Word("into t", "The input that the output starts as.", "scatter"),
    "with": Word("with …", "How values are combined; in a scan, the value that is carried along.", "the-six-modes"),
}
"""All words that mean something by themselves, in their place."""

ANYWHERE = WORDS.keys() - MODES.keys() - {"merge", "example", "expect", "over", "into", "with"}
"""The words that mean the same everywhere; others may be names outside of their places."""

TYPES: dict[str, str] = {
    "Bool": "`false` or `true`.",
    "Int": "A whole number of 32 bits, -2147483648 to 2147483647; `+ - *` wrap.",
    "Float": "An IEEE 754 number of 32 bits, with infinities and NaN.",
    "Vec2": "2 Floats: `.xy` or `.rg`.",
    "Vec3": "3 Floats: `.xyz` or `.rgb`.",
    "Vec4": "4 Floats: `.xyzw` or `.rgba`.",
    "Mat2": "2 x 2 Floats, column by column; `m[c]` is a column.",
    "Mat3": "3 x 3 Floats, column by column; `m[c]` is a column.",
    "Mat4": "4 x 4 Floats, column by column; `m[c]` is a column.",
    "Rows": "A field of one axis: `Rows<T>`.",
    "Grid": "A field of two axes: `Grid<T>`, its size is (w, h).",
    "Volume": "A field of three axes: `Volume<T>`, its size is (w, h, d).",
    "Image": "A field of colours: `Grid<Vec4>`.",
}
"""The language's own types."""
