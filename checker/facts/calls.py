"""Calls: what is called, and what each argument is for."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker import types
from kcheck.checker.facts import words
from kcheck.checker.facts.symbols import Symbol
from kcheck.checker.lower.recording import Named, WordUse
from kcheck.checker.lower.scopes import FunctionEntity
from kcheck.grammar import nodes, syntax
from kcheck.grammar.spans import Span


@nodes.node(kw_only=False)
class Parameter(nodes.Value):
    """`type` is None where it is not known: of a built-in that does not take the arguments given."""

    name: str
    type: types.Type | types.Field | None


@nodes.node(kw_only=False)
class CallSite(nodes.Value):
    """A call of something that is known.

    `span` is all of it, `name` the name alone, `arguments` the values that are given.  `parameters` are those of the
    signature that was taken; there may be fewer or more arguments.
    """

    span: Span
    name: Span
    symbol: Symbol
    arguments: tuple[Span, ...]
    parameters: tuple[Parameter, ...]


def call_site(
    node: syntax.Call, symbol: Symbol, named: Named, given: Sequence[types.Type | types.Field | None]
) -> CallSite:
    """The call at `node` of `named`; `given` are the types of its arguments, where they are known."""
    parameters = _of_function(named) if isinstance(named, FunctionEntity) else _of_word(named, given)
    arguments = tuple(argument.span for argument in node.args)
    return CallSite(node.span, node.callee.span, symbol, arguments, parameters)


def _of_function(entity: FunctionEntity) -> tuple[Parameter, ...]:
    assert entity.signature is not None
    names = [parameter.name.text for parameter in entity.node.parameters]
    return tuple(map(Parameter, names, entity.signature.parameters))


def _of_word(named: Named, given: Sequence[types.Type | types.Field | None]) -> tuple[Parameter, ...]:
    assert isinstance(named, WordUse)
    return tuple(Parameter(name, type_) for name, type_ in words.parameters(named, given))
