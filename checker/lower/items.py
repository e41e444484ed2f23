"""The items of a file, put into its scope."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from kcheck.checker import rules
from kcheck.checker.builtins import ACTING_WORDS
from kcheck.checker.lower import fixes
from kcheck.checker.lower.declarations import TYPE_NAMES
from kcheck.checker.lower.ledger import Ledger
from kcheck.checker.lower.problems import Problems
from kcheck.checker.lower.scopes import ConstEntity, FunctionEntity, Home, ItemEntity, Scope, TypeEntity
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.source import ParsedItem


def declare_item(
    scope: Scope,
    node: syntax.Struct | syntax.Enumeration | syntax.Const | syntax.Function,
    problems: Problems,
    home: Home | None = None,
) -> None:
    """Put a declaration into `scope`; reports a second one of the name."""
    home = home or scope.home
    name = node.name.text
    match node:
        case syntax.Const():
            earlier: ItemEntity | None = scope.consts.get(name)
            entity: ItemEntity = scope.consts.setdefault(name, ConstEntity(node, home, scope))
        case syntax.Function():
            _check_function_name(node, home, problems)
            earlier = scope.functions.get(name)
            entity = scope.functions.setdefault(name, FunctionEntity(node, home, scope))
        case _:
            if name in TYPE_NAMES:
                message = f"`{name}` is a type of the language; no other can take its name"
                problems.add(rules.DUPLICATE.report(home.at(node.name.span), message))
            scope.broken.update(error_name.text for error in node.errors for error_name in error.names)
            earlier = scope.types.get(name)
            entity = scope.types.setdefault(name, TypeEntity(node, home, scope))
    if scope.parent is None:
        scope.items[entity.home.item] = entity
    if earlier is not None:
        note = Note(f"the first `{name}` is here", earlier.home.at(earlier.node.name.span))
        made = fixes.remove(home, node.span, f"the second `{name}`")
        message = f"a second `{name}`"
        problems.add(rules.DUPLICATE.report(home.at(node.name.span), message, notes=(note,), fixes=made))
    elif scope.parent is not None:
        _warn_if_hiding(scope, node, home, problems)


def _check_function_name(node: syntax.Function, home: Home, problems: Problems) -> None:
    if node.name.text in ACTING_WORDS:
        problems.add(
            rules.SHADOWS_ACTING_WORD.report(
                home.at(node.name.span),
                f"`{node.name.text}` is a word that reads or acts; no function may take its name",
            )
        )


def _warn_if_hiding(
    scope: Scope,
    node: syntax.Struct | syntax.Enumeration | syntax.Const | syntax.Function,
    home: Home,
    problems: Problems,
) -> None:
    assert scope.parent is not None
    name = node.name.text
    match node:
        case syntax.Const():
            outer: object = scope.parent.find_value(name)
        case syntax.Function():
            outer = scope.parent.find_function(name)
        case _:
            outer = scope.parent.find_type(name)
    if outer is not None:
        problems.add(rules.SHADOWED.report(home.at(node.name.span), f"this hides the file's own `{name}`"))


def declare_file(path: str, items: tuple[ParsedItem, ...], ledger: Ledger, package: str = "") -> Scope:
    """The scope of a file's items; the files it uses are not in it yet."""
    scope, problems = Scope(Home(path, ""), ledger, package=package), ledger.page.problems
    kernels: dict[str, tuple[Home, syntax.Name]] = {}
    for item in items:
        home, node = Home(path, item.key, item.text, item.is_whole), item.node
        match node:
            case syntax.Struct() | syntax.Enumeration() | syntax.Const() | syntax.Function():
                declare_item(scope, node, problems, home)
            case syntax.Kernel() | syntax.Scene():
                _check_kernel_name(kernels, node, home, problems)
            case syntax.BrokenItem():
                _remember_broken(scope, node)
            case syntax.Use():
                pass
    return scope


def _check_kernel_name(
    seen: dict[str, tuple[Home, syntax.Name]],
    node: syntax.Kernel | syntax.Scene,
    home: Home,
    problems: Problems,
) -> None:
    word = "kernel" if isinstance(node, syntax.Kernel) else "scene"
    if word == "kernel" and "@" not in node.name.text:
        return  # its header could not be read
    key = f"{word} {node.name.text}"
    if key in seen:
        first_home, first = seen[key]
        note = Note(f"the first {key} is here", first_home.at(first.span))
        message = f"a second {key}" + ("; give it another version" if word == "kernel" else "")
        made = _version_fixes(seen, home, node.name) if word == "kernel" else ()
        problems.add(rules.DUPLICATE.report(home.at(node.name.span), message, notes=(note,), fixes=made))
    seen.setdefault(key, (home, node.name))


def _version_fixes(seen: Iterable[str], home: Home, name: syntax.Name) -> tuple[Fix, ...]:
    """The next version that no kernel before has."""
    base, _, version = name.text.rpartition("@")
    numbers = itertools.count(int(version) + 1)
    free = next(n for n in numbers if f"kernel {base}@{n}" not in seen)
    return fixes.rename_to(home, name, f"{base}@{free}")


def _remember_broken(scope: Scope, node: syntax.BrokenItem) -> None:
    if node.name is None or node.keyword == "enum":
        scope.incomplete = True
    else:
        scope.broken.add(node.name.text)
