"""The state of lowering: one `ProgramContext` a kernel, one `FunctionContext` a function in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import edits
from kcheck.checker.lower.problems import Problems
from kcheck.checker.lower.recording import ItemRecord
from kcheck.checker.lower.scopes import FunctionEntity, Home, LocalSymbol, Scope, TypeEntity, kind_of
from kcheck.checker.rules.rule import Rule
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Origin, Span

if TYPE_CHECKING:
    from kcheck.checker.lower.declarations import Declarations


class Use(Enum):
    """What a function needs from the mode that it runs in."""

    PORTS = "reads a port"
    PLACES = "reads its place"
    LANES = "needs the lanes of a group"
    EMIT = "emits"
    MEMORY = "uses a memory"


@dataclass(frozen=True, slots=True)
class UseSite:
    """The first place of a use inside a function: the word itself, or the call that leads to it."""

    origin: Origin
    word: str
    cause: Note | None = None


@dataclass(slots=True)
class LoweredFunction:
    """`index` is its position in `ProgramContext.functions`; `calls` are the positions of those that it calls.

    `depth` is the length of the longest chain of calls that starts with it.
    """

    index: int
    function: ir.Function
    uses: dict[Use, UseSite]
    calls: frozenset[int]
    sampled: frozenset[str]
    depth: int


@dataclass
class ProgramContext:
    """What the functions of one kernel share.

    `rank` is the number of axes of the domain; `pair` the type of a scatter's pair once one was seen;
    `outputs` the struct that a body with several outputs returns.
    """

    declarations: Declarations
    scope: Scope
    rank: int
    functions: list[LoweredFunction] = field(default_factory=list)
    lowered: dict[FunctionEntity, LoweredFunction | None] = field(default_factory=dict)
    working: dict[FunctionEntity, None] = field(default_factory=dict)
    """The functions being lowered, in order: each called by the one before."""
    scatter_target: types.Field | None = None
    in_scatter: bool = False
    pair: types.Struct | None = None
    outputs: types.Struct | None = None
    node: syntax.Kernel | None = None
    """The kernel, for fixes that rewrite more than one place of it."""
    is_rank_known: bool = True
    """Whether all ports could be read; `rank` is only a guess where not."""
    poisoned: bool = False
    """Something had an error, here or in a declaration that is used here: there will be no program."""

    @property
    def problems(self) -> Problems:
        return self.declarations.problems


@dataclass(frozen=True, slots=True)
class Expected:
    """What a function must return: `rule` and `reason` say how to complain."""

    type: types.Type | None
    rule: Rule = rules.TYPE_MISMATCH
    reason: str = ""


class FunctionContext:
    """One function being lowered: its locals, its statements so far, and the names in sight."""

    def __init__(
        self,
        program: ProgramContext,
        home: Home,
        scope: Scope,
        name: str,
        result: Expected,
        *,
        body: bool = False,
        constant: bool = False,
    ) -> None:
        self.program = program
        self.home = home
        self.scope = scope
        self.name = name
        self.result = result
        self.is_body = body
        self.is_constant = constant
        self.stands_apart = False
        """Whether this belongs to no element run: the merge, or a start value."""
        self.drops_values = False
        """Whether values that nobody uses are no news: an error about them, or about where they stand, is known."""
        self.locals: list[ir.LocalDecl] = []
        self.mutable: list[bool] = []
        self.origins: list[Origin] = []
        self.statements: list[ir.Statement] = []
        self.frames: list[dict[str, LocalSymbol]] = [{}]
        self.uses: dict[Use, UseSite] = {}
        self.symbols: list[LocalSymbol] = []
        self.record: ItemRecord = program.declarations.recorder.item(home)

    # ------------------------------------------------------------ nodes and diagnostics

    def node(self, span: Span) -> int:
        """A fresh node id for something written at `span`."""
        self.origins.append(self.home.at(span))
        return len(self.origins) - 1

    def report(
        self,
        rule: Rule,
        span: Span,
        message: str,
        *,
        label: str = "",
        notes: tuple[Note, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        self.program.problems.add(rule.report(self.home.at(span), message, label=label, notes=notes, fixes=fixes))

    def not_constant(self, span: Span) -> None:
        advice = self.note("constants are made of literals, operators, built-ins and other constants")
        self.report(rules.NOT_CONSTANT, span, "this is not known before the kernel runs", notes=(advice,))

    def note(self, message: str, span: Span | None = None) -> Note:
        return Note(message, None if span is None else self.home.at(span))

    def use(self, use: Use, span: Span, word: str, cause: Note | None = None) -> None:
        self.uses.setdefault(use, UseSite(self.home.at(span), word, cause))

    # ------------------------------------------------------------ locals

    def new_local(self, name: str, type_: types.Type, *, mutable: bool = False) -> int:
        self.locals.append(ir.LocalDecl(name=name, type=type_))
        self.mutable.append(mutable)
        return len(self.locals) - 1

    def declare(self, name: syntax.Name, type_: types.Type | None, what: str, *, mutable: bool = False) -> LocalSymbol:
        """Make a name visible in the innermost frame, with a warning where it hides another value."""
        self.warn_if_shadowing(name)
        local = self.new_local(name.text, type_, mutable=mutable) if type_ is not None else -1
        symbol = LocalSymbol(local, type_, mutable, what, name.span, name.text)
        self.frames[-1][name.text] = symbol
        self.symbols.append(symbol)
        self.record.name(name, symbol)
        return symbol

    def expect_no_more_of(self, name: syntax.Name) -> None:
        """A name that nothing declares: once is enough to say so in this function."""
        unknown = LocalSymbol(-1, None, True, "name", name.span, name.text, used=True, is_declared=False)
        self.frames[0].setdefault(name.text, unknown)

    def warn_if_shadowing(self, name: syntax.Name) -> None:
        if name.text.startswith("_"):
            return
        earlier, outer = self.find_local(name.text), self.scope.find_value(name.text)
        if earlier is not None:
            note = self.note(f"the other `{name.text}` is declared here", earlier.span)
            self.report(rules.SHADOWED, name.span, f"`{name.text}` hides another `{name.text}`", notes=(note,))
        elif outer is not None:
            self.report(
                rules.SHADOWED,
                name.span,
                f"`{name.text}` hides the {kind_of(outer)} `{name.text}`",
                notes=(self.note("give one of them another name if both are needed"),),
            )

    def find_local(self, name: str) -> LocalSymbol | None:
        return next((f[name] for f in reversed(self.frames) if name in f), None)

    def find_type(self, name: syntax.Name) -> TypeEntity | None:
        return self.program.declarations.find_type(name, self.scope, self.home)

    def local_names(self) -> Iterator[str]:
        for frame in self.frames:
            yield from frame

    def report_unused(self) -> None:
        for symbol in self.symbols:
            if not symbol.used and symbol.type is not None and not symbol.name.startswith("_"):
                self.report(
                    rules.UNUSED,
                    symbol.span,
                    f"`{symbol.name}` is never read",
                    notes=(self.note(f"remove it, or name it `_{symbol.name}` to keep it"),),
                    fixes=self._unused_fixes(symbol),
                )

    def _unused_fixes(self, symbol: LocalSymbol) -> tuple[Fix, ...]:
        unused = f"_{symbol.name}"
        first = edits.replace(self.home, symbol.span, f"{symbol.prefix}{unused}")
        renamed = Fix(f"name it `{unused}`", (first, *(edits.replace(self.home, w, unused) for w in symbol.writes)))
        if symbol.statement is None or not symbol.removable or symbol.writes:
            return (renamed,)
        return (Fix("remove it", (edits.remove(self.home, symbol.statement),)), renamed)

    def frame(self) -> _Frame:
        """A block: names declared inside end with it."""
        return _Frame(self)

    def collect(self) -> _Collecting:
        """Statements made inside go to the yielded list."""
        return _Collecting(self)

    @contextmanager
    def dropping_values(self) -> Iterator[None]:
        before, self.drops_values = self.drops_values, True
        yield
        self.drops_values = before

    # ------------------------------------------------------------ small expressions

    def read(self, local: int, span: Span) -> ir.Local:
        return ir.Local(id=self.node(span), type=self.locals[local].type, local=local)

    def assign(self, local: int, value: ir.Expression, span: Span) -> None:
        self.statements.append(ir.Assign(id=self.node(span), local=local, value=value))

    def spill(self, value: ir.Expression, span: Span, name: str = "$t") -> int:
        """Put a value into a fresh local now; the local never changes."""
        local = self.new_local(name, value.type)
        self.assign(local, value, span)
        return local

    def is_stable(self, value: ir.Expression) -> bool:
        """Whether later statements cannot change what `value` gives."""
        return not any(isinstance(n, ir.Local) and self.mutable[n.local] for n in ir.walk(value))

    def reusable(self, value: ir.Expression, span: Span) -> ir.Expression:
        """A simple expression with the value of `value`, to be used more than once by `again`."""
        if isinstance(value, (ir.Const, ir.Param)) or (isinstance(value, ir.Local) and self.is_stable(value)):
            return value
        return self.read(self.spill(value, span), span)

    def again(self, value: ir.Expression, span: Span) -> ir.Expression:
        """One more occurrence of what `reusable` gave, with an id of its own."""
        return replace(value, id=self.node(span))

    def int_const(self, value: int, span: Span) -> ir.Const:
        return ir.Const(id=self.node(span), type=types.INT, leaves=(value,))

    def block(self, statements: list[ir.Statement], span: Span) -> ir.Block:
        return ir.Block(id=self.node(span), statements=tuple(statements))


class _Frame:
    def __init__(self, context: FunctionContext) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._context.frames.append({})

    def __exit__(self, *_: object) -> None:
        self._context.frames.pop()


class _Collecting:
    """Entered for every operand: a class, since it costs a third of what a generator does."""

    def __init__(self, context: FunctionContext) -> None:
        self._context = context
        self._outer = context.statements

    def __enter__(self) -> list[ir.Statement]:
        self._context.statements = []
        return self._context.statements

    def __exit__(self, *_: object) -> None:
        self._context.statements = self._outer
