"""Short ways from text to trees for the tests of the grammar."""

from pathlib import Path

from kcheck.grammar import parse, syntax
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.source import SourceFile
from kcheck.grammar.walk import descendants

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.kernel"))
SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seed" / "kernels"


def text_of(path: Path) -> str:
    """A file's text, line breaks as they are."""
    return path.read_bytes().decode()


def read(text: str) -> SourceFile:
    """The parsed file of a text that has no errors."""
    source, diagnostics = parse(text, "t.kernel")
    assert not diagnostics, [f"{d.message} at {text[d.origin.span.start :][:20]!r}" for d in diagnostics]
    return source


def item(text: str) -> syntax.Item:
    """The only item of a text that has no errors."""
    [parsed] = read(text).items
    return parsed.node


def function(statements: str) -> syntax.Function:
    node = item(f"fn f() {{ {statements} }}")
    assert isinstance(node, syntax.Function)
    return node


def statements(text: str) -> tuple[syntax.Statement, ...]:
    return function(text).body.statements


def statement(text: str) -> syntax.Statement:
    [node] = statements(text)
    return node


def expr(text: str) -> syntax.Expr:
    """The tree of an expression in code."""
    node = statement(f"let x = {text};")
    assert isinstance(node, syntax.Let)
    return node.value


def kernel(members: str) -> syntax.Kernel:
    node = item(f"kernel k@1 {{ {members} }}")
    assert isinstance(node, syntax.Kernel)
    return node


def errors(text: str) -> tuple[Diagnostic, ...]:
    return parse(text, "t.kernel")[1]


def error(text: str) -> Diagnostic:
    [diagnostic] = errors(text)
    return diagnostic


def place(text: str, diagnostic: Diagnostic) -> tuple[int, int]:
    """Where in the whole text a diagnostic points."""
    span = parse(text, "t.kernel")[0].absolute(diagnostic.origin)
    return span.start, span.end


def compact(node: object) -> str:
    """A tree as an expression with all its parentheses, or another node in a short form."""
    match node:
        case syntax.Binary(op=op, left=left, right=right):
            return f"({compact(left)} {op} {compact(right)})"
        case syntax.Unary(op=op, operand=operand):
            return f"({op}{compact(operand)})"
        case syntax.NameRef(name=name):
            return name.text
        case syntax.IntLiteral(value=value):
            return str(value)
        case syntax.FloatLiteral(text=text):
            return text
        case syntax.BoolLiteral(value=value):
            return str(value).lower()
        case syntax.Call(callee=callee, args=args):
            return f"{compact(callee)}({', '.join(map(compact, args))})"
        case syntax.Member(operand=operand, name=name):
            return f"{compact(operand)}.{name.text}"
        case syntax.Index(operand=operand, index=index):
            return f"{compact(operand)}[{compact(index)}]"
        case syntax.StructValue(enum=enum, name=name, fields=values):
            owner = f"{enum.text}." if enum else ""
            inside = ", ".join(f"{value.name.text}: {compact(value.value)}" for value in values)
            return f"{owner}{name.text} {{{inside}}}"
        case syntax.Record(fields=values):
            return "{" + ", ".join(f"{value.name.text}: {compact(value.value)}" for value in values) + "}"
        case syntax.Block(statements=inside):
            return "{" + " ".join(map(compact, inside)) + "}"
        case syntax.ExprStatement(value=value, semicolon=semicolon):
            return compact(value) + ";" * semicolon
        case syntax.If(condition=condition, then=then, otherwise=otherwise):
            rest = f" else {compact(otherwise)}" if otherwise else ""
            return f"if {compact(condition)} {compact(then)}{rest}"
    raise AssertionError(f"no short form for {node}")


def nodes(node: syntax.Node, *kinds: type[syntax.Node]) -> list[syntax.Node]:
    return [found for found in descendants(node) if isinstance(found, kinds)]
