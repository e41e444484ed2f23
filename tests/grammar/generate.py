"""Programs by chance that follow the grammar; they need not mean anything."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

from kcheck.grammar.lexis import Kind, Token, tokens

# fmt: off
NAMES = ["a", "b", "carry", "domain", "emit", "i", "long_name", "max", "n", "of_some_length", "sample", "sum", "x"]
TYPES = ["Bool", "Float", "Grid<Vec3>", "Light", "Rows<[Int;3]>", "Rows<Grid<Int>>", "[Float;4]", "[[Light;N];2*N]"]
NUMBERS = ["0", "1", "12", "1_000", "0xFF", "0b1010", "0.5", "1e-3", "2.5E+2", "16777216.0"]
STRICT_OPERATORS = ["||", "&&", "|", "^", "&", "<<", ">>", ">>>", "+", "-", "*", "/", "%"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="]
# fmt: on


class Maker:
    """Makes texts; `depth` bounds how deep they nest."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def item(self) -> str:
        return self.one(self._use, self._const, self._struct, self._enum, self._function, self._kernel, self._scene)

    # ------------------------------------------------------------ choosing

    def one(self, *makers: Callable[[], str]) -> str:
        return self.chance.choice(makers)()

    def name(self) -> str:
        return self.chance.choice(NAMES)

    def type(self) -> str:
        return self.chance.choice(TYPES)

    def maybe(self, text: str) -> str:
        return text if self.chance.random() < 0.5 else ""

    def some(self, make: Callable[[], str], most: int, separator: str = "") -> str:
        return separator.join(make() for _ in range(self.chance.randrange(most + 1)))

    def listed(self, make: Callable[[], str], most: int, least: int = 1) -> str:
        """At least one, with commas."""
        parts = [make() for _ in range(self.chance.randint(least, most))]
        return ", ".join(parts) + self.maybe("," if parts else "")

    # ------------------------------------------------------------ expressions

    def expr(self, depth: int, *, head: bool = False) -> str:
        if depth <= 0:
            return self.one(self.name, lambda: self.chance.choice([*NUMBERS, "true", "false"]))
        inner = depth - 1
        makers = [
            self.name,
            lambda: f"{self.chance.choice('-!~')} {self.operand(inner)}",
            lambda: self._chain(inner, head),
            lambda: f"({self.expr(inner)})",
            lambda: f"(({self.expr(inner)}))",
            lambda: f"{self.name()}({self.listed(lambda: self.expr(inner), 4, 0)})",
            lambda: f"{self.name()}.{self.name()}",
            lambda: f"{self.name()}[{self.expr(inner)}].{self.name()}",
            lambda: f"[{self.listed(lambda: self.expr(inner), 5)}]",
            lambda: f"[{self.expr(inner)}; {self.expr(inner)}]",
            lambda: self._if(inner),
            lambda: self._match(inner),
        ]
        if not head:
            makers += [lambda: self._struct_value(inner), lambda: self.block(inner)]
        return self.one(*makers)

    def operand(self, depth: int) -> str:
        return self.one(self.name, lambda: f"({self.expr(depth)})", lambda: self.chance.choice(NUMBERS))

    def _chain(self, depth: int, head: bool) -> str:
        parts = [self.expr(depth - 1, head=head)]
        for _ in range(self.chance.randint(1, 5)):
            parts += [self.chance.choice(STRICT_OPERATORS), self.operand(depth)]
        text = " ".join(parts)
        return f"({text}) {self.chance.choice(COMPARISONS)} {self.operand(depth)}" if self.maybe("x") else text

    def _if(self, depth: int) -> str:
        text = f"if {self.expr(depth, head=True)} {self.block(depth)}"
        while self.chance.random() < 0.3:
            text += f" else if {self.expr(depth, head=True)} {self.block(depth)}"
        return text + self.maybe(f" else {self.block(depth)}")

    def _match(self, depth: int) -> str:
        arms = [self._arm(depth) for _ in range(self.chance.randrange(4))]
        return f"match {self.expr(depth, head=True)} {{ {' '.join(arms)} _ => {self.operand(depth)} }}"

    def _arm(self, depth: int) -> str:
        pattern = " | ".join(self._pattern() for _ in range(self.chance.randint(1, 3)))
        return f"{pattern} => " + self.one(
            lambda: f"{self.operand(depth)},", lambda: self.block(depth) + self.maybe(",")
        )

    def _pattern(self) -> str:
        fields = f"{{ {self.listed(lambda: self.name() + self.maybe(f': {self.name()}'), 3, 0)} }}"
        return self.chance.choice(
            ["_", "-5", "0", "1..9", "-0x10..=7", "true", "Dot", f"Disc {fields}", f"S.Disc {fields}"]
        )

    def _struct_value(self, depth: int) -> str:
        return self.maybe("Shape.") + f"Disc {self.fields(depth, 0)}"

    def fields(self, depth: int, least: int) -> str:
        return f"{{ {self.listed(lambda: f'{self.name()}: {self.expr(depth)}', 3, least)} }}"

    # ------------------------------------------------------------ statements

    def block(self, depth: int) -> str:
        if self.chance.random() < 0.2:
            return self.fields(depth, 1)
        last = self.maybe(f"({self.expr(depth)})")
        return f"{{ {self.some(lambda: self.statement(depth), 3, ' ')} {last} }}"

    def statement(self, depth: int) -> str:
        inner = depth - 1
        if depth <= 0:
            return f"{self.name()}({self.name()});"
        return self.one(
            lambda: (
                f"{self.maybe('let ') or 'var '}{self.name()}{self.maybe(f': {self.type()}')} = {self.expr(depth)};"
            ),
            lambda: f"{self.name()} {self.chance.choice(ASSIGNMENTS)} {self.expr(depth)};",
            lambda: f"return {self.expr(depth)};" + self.maybe(";"),
            lambda: f"for i in {self.expr(0)}..{self.maybe('=')}{self.expr(0)}{self._until(inner)} {self.block(inner)}",
            lambda: f"loop {self.expr(inner, head=True)}{self._until(inner)} {self.block(inner)}" + self.maybe(";"),
            lambda: self._if(inner) + self.maybe(";"),
            lambda: self._match(inner) + self.maybe(";"),
            lambda: f"{self.name()}({self.expr(inner)});",
        )

    def _until(self, depth: int) -> str:
        return self.maybe(f" until {self.expr(depth, head=True)}")

    # ------------------------------------------------------------ items

    def _use(self) -> str:
        return "use signal.fft;"

    def _const(self) -> str:
        return f"const {self.name()}: {self.type()} = {self.expr(3)};"

    def _struct(self) -> str:
        return f"struct S {{ {self.some(self._field, 4, ' ')} }}"

    def _field(self) -> str:
        return f"{self.name()}: {self.type()}{self.chance.choice(';,')}"

    def _enum(self) -> str:
        def variant() -> str:
            body = f"{{ {self.some(self._field, 3, ' ')} }}"
            return self.one(lambda: f"Dot{self.chance.choice(';,')}", lambda: f"Disc {body}" + self.maybe(";"))

        return f"enum E {{ {self.some(variant, 4, ' ')} }}"

    def _function(self) -> str:
        parameters = self.listed(lambda: f"{self.name()}: {self.type()}", 4, 0)
        return f"fn {self.name()}({parameters}) {self.maybe(f'-> {self.type()} ')}{self.block(3)}"

    def _kernel(self) -> str:
        members = (
            lambda: "requires { field.read; field.write; }",
            lambda: f"{self.chance.choice(['input', 'output', 'memory'])} {self.name()}: {self.type()};",
            self._param,
            self._const,
            self._struct,
            self._function,
            self._body,
            lambda: f"merge(a, b{self.maybe(',')}) {self.block(2)}",
            self._example,
        )
        return f"kernel some.name@1 {{ {self.some(lambda: self.one(*members) + self.maybe(';'), 6, ' ')} }}"

    def _param(self) -> str:
        return f"param p: Float{self.maybe(' = 0.5 + a')}{self.maybe(' in 0.0..1.0 * b')};"

    def _body(self) -> str:
        heads = "compute", "compute over x", "scatter over x into t with sum", "prefix over x with max"
        scan = f"scan over x with y = {self.chance.choice(['0.0', 'S { a: 1 }', 'a + b'])}"
        return f"{self.chance.choice([*heads, scan, f'group {self.expr(1, head=True)}'])} {self.block(3)}"

    def _example(self) -> str:
        def value() -> str:
            size = f"({self.listed(self.name, 3, 2)})"
            forms = [size, "(64,)", '"a // \\"b\\".png"', f"random({size}, seed=1)", self.expr(2), self.fields(1, 1)]
            return self.chance.choice(forms)

        def entry() -> str:
            return f"{self.chance.choice(['', 'expect ', 'param '])}{self.name()} = {value()};"

        return f"example e {{ {self.some(entry, 3, ' ')} }}"

    def _scene(self) -> str:
        settings = (
            lambda: f"{self.name()} <- {self.name()}{self.maybe('.result')};",
            lambda: "ram <~ cpu.ram from zeros.result;",
            lambda: "carry source <- result;",
            lambda: "domain = like noise.result;",
            lambda: f"{self.maybe('param ')}{self.name()} = {self.expr(2)};",
        )
        entries = (
            lambda: f"input photo: {self.type()};",
            self._param,
            lambda: f"node n: some.name@2 {{ {self.some(lambda: self.one(*settings), 4, ' ')} }}",
            lambda: "output o <- n.result;",
            self._example,
        )
        return f"scene s {{ {self.some(lambda: self.one(*entries) + self.maybe(';'), 5, ' ')} }}"


# ---------------------------------------------------------------- layouts

BLANKS = ("", " ", " ", "   ", "\n", "\n", "\n\n\n", "\t")
COMMENTS = (
    "// c{}\n",
    " // c{}\n",
    "\n// c{}\n",
    " /* c{} */ ",
    "\n\n/* c{} */\n",
    " /* c{}\n   d */ ",
    "\n/* c{} */ ",
)


def spread(text: str, chance: Random, blanks: float, comments: float) -> str:
    """`text` with other white space and more comments between its tokens, each at a rate of its own."""
    found = list(tokens(text))
    parts = [text[: found[0].start], found[0].text]
    for before, token in pairwise(found):
        gap = text[before.end : token.start]
        if not _belong_together(before, token, gap):
            if chance.random() < blanks:
                gap = chance.choice(BLANKS) + (" " if _would_merge(before, token) else "")
            if chance.random() < comments:
                gap += " " if before.text == "/" and not gap else ""  # `/` and `//` would be `///`
                gap += chance.choice(COMMENTS).format(token.start)
        parts += (gap, token.text)
    return "".join(parts) + text[found[-1].end :]


def _belong_together(before: Token, token: Token, gap: str) -> bool:
    """Whether nothing, or no comment, may part the two, or a comment stands there already."""
    sign = before.text == "-" and token.kind is Kind.NUMBER
    return gap.strip() != "" or sign or before.text + gap + token.text == "<-"


def _would_merge(before: Token, token: Token) -> bool:
    return [found.text for found in tokens(before.text + token.text)] != [before.text, token.text]
