"""`kcheck show`: what the tool made of a kernel."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from kcheck.cli import terminal
from kcheck.cli.files import UsageError, read_source

if TYPE_CHECKING:
    from kcheck.checker.checked import Checked
    from kcheck.checker.ir import Program
    from kcheck.grammar.spans import Origin

_EXAMPLES = """\
examples:
  kcheck show stats.kernel --kernel stats.total@1 --ir
  kcheck show stats.kernel --kernel stats.total@1 --wgsl
  kcheck show stats.kernel --kernel stats.total@1 --llvm
  kcheck show stats.kernel --kernel stats.total@1 --smt | z3 -in
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "show",
        help="show what was made of a kernel",
        description="Shows the form of a kernel that backends run. It is meant for reading and may change.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--kernel", metavar="NAME", help="which kernel; the file's only one may stay unnamed")
    forms = parser.add_mutually_exclusive_group(required=True)
    forms.add_argument("--ir", action="store_true", help="the typed intermediate form")
    forms.add_argument("--wgsl", action="store_true", help="the shaders that run it on a graphics device")
    forms.add_argument("--llvm", action="store_true", help="LLVM's assembly language for this processor, optimised")
    forms.add_argument("--smt", action="store_true", help="the laws of a merge, as SMT-LIB for a solver")


def run(args: argparse.Namespace) -> int:
    """Print a form of one kernel; 1 where the checker refuses it."""
    from kcheck.checker import check_bytes
    from kcheck.checker.render import ir

    source = read_source(args.file)
    checked = check_bytes(source.data, source.path, source.loader)
    name = _kernel(checked, args.kernel)
    if name not in checked.programs:
        _refuse(checked)
        return 1
    program = checked.programs[name]
    if args.wgsl:
        print(_wgsl(program, checked), end="")
    elif args.llvm:
        print(_llvm(program), end="")
    else:
        print(_smt(program) if args.smt else ir.render(program), end="")
    return 0


def _wgsl(program: Program, checked: Checked) -> str:
    """The shaders for the device that there is, else for one with the least limits."""
    from kcheck.grammar.spans import LineIndex
    from kcheck.runtime.backend import Missing, Unsupported
    from kcheck.runtime.gpu import Gpu
    from kcheck.runtime.gpu.wgsl.shown import wgsl
    from kcheck.runtime.gpu.wgsl.traits import COMMON

    try:
        traits = Gpu().traits
    except Missing:
        traits = COMMON
    lines = LineIndex(checked.file.text)

    def remark(origin: Origin) -> str | None:
        if origin.path != checked.file.path:
            return None
        line = lines.line(checked.file.absolute(origin).start)
        return f"{line + 1}: {lines.line_text(line).strip()}"

    try:
        return wgsl(program, traits, remark)
    except Unsupported as reason:
        raise UsageError(f"{program.name} runs on no graphics device: {reason}") from None


def _llvm(program: Program) -> str:
    from kcheck.runtime.backend import Missing
    from kcheck.runtime.backends import BACKENDS

    try:
        BACKENDS["jit"]()
    except Missing as reason:
        raise UsageError(f"--llvm is not available: {reason}") from None
    from kcheck.runtime.jit.shown import llvm

    return llvm(program)


def _smt(program: Program) -> str:
    """The queries for both laws, one after the other; `unsat` to each means that it holds."""
    from kcheck.checker import ir
    from kcheck.checker.law.problem import Law
    from kcheck.checker.law.solver.laws import smt
    from kcheck.checker.law.symbolic import Blocked, problem_of

    if not isinstance(program.schedule, ir.Fold):
        raise UsageError(f"{program.name} merges nothing, so it has no laws that could be shown")
    try:
        problem = problem_of(program)
    except Blocked as blocked:
        raise UsageError(f"{program.name}: {blocked.reason}") from blocked
    return "(reset)\n".join(smt(problem, law) for law in Law)


def _kernel(checked: Checked, asked: str | None) -> str:
    from kcheck.grammar import syntax

    names = [item.node.name.text for item in checked.file.items if isinstance(item.node, syntax.Kernel)]
    found = [name for name in names if asked in (None, name, name.rpartition("@")[0])]
    if len(found) == 1:
        return found[0]
    wrong = f"no kernel is called {asked}" if asked is not None and not found else "name a kernel with --kernel"
    raise UsageError(f"{wrong}; {checked.file.path} holds {', '.join(names) or 'none'}")


def _refuse(checked: Checked) -> None:
    from kcheck.checker.render import text

    style = text.Style(color=terminal.wants_color(sys.stderr), width=terminal.width())
    print(text.render([checked], style), end="", file=sys.stderr)
