"""`kcheck run`: runs one kernel of a file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kcheck.cli.files import UsageError, read_source

if TYPE_CHECKING:
    from pathlib import Path

    from kcheck.checker.bindings import BoundValue
    from kcheck.checker.checked import Checked
    from kcheck.checker.ir import Program
    from kcheck.runtime.results import Result
    from kcheck.runtime.values.slot import Slot

BACKENDS = ("auto", "interpreter", "jit", "gpu")

_DESCRIPTION = """\
Runs one kernel of a file and shows its outputs. What the checker refuses is not run.

A VALUE is a literal ([1, 2, 3], [[0.5, 1], [2, 3]], {"x": 1}, 0.25, true, NaN), a generator (zeros(1000),
range(10), random((64, 64), seed=1)) or a file: .npy, .npz:key, .png, .jpg, .wav, .wav:0 (one channel),
.csv:column, .json, .bin:uint8. Pictures are read as linear colours, and written as sRGB.
"""

_EXAMPLES = """\
examples:
  kcheck run edges.kernel -i source=photo.jpg -p amount=0.5 -o result=sharp.png
  kcheck run offsets.kernel -i "flags=[1, 0, 1]" --format json
  kcheck run pattern.kernel --kernel pattern.rings@1 --domain 64x64
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "run",
        help="run a kernel",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--kernel", metavar="NAME", help="which kernel; the file's only one may stay unnamed")
    what.add_argument("--scene", metavar="NAME", help="which scene (scenes are not run yet)")
    parser.add_argument(
        "-i", dest="inputs", metavar="PORT=VALUE", action="append", default=[], help="bind an input or memory"
    )
    parser.add_argument("-p", dest="params", metavar="PARAM=VALUE", action="append", default=[], help="set a param")
    parser.add_argument(
        "-o",
        dest="outputs",
        metavar="PORT=FILE",
        action="append",
        default=[],
        help="write an output to a file",
    )
    parser.add_argument("--domain", metavar="WxH", help="the size to run over: W, WxH or WxHxD")
    parser.add_argument("--backend", choices=BACKENDS, default="auto", help="what runs it (default: auto)")
    sums = parser.add_mutually_exclusive_group()
    sums.add_argument("--strict", action="store_true", help="the same bits on every backend (the default)")
    sums.add_argument("--fast", action="store_true", help="a backend's own arithmetic, where it has one")
    parser.add_argument("--srgb", action="store_true", help="take and give pictures as files store them")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no remarks, no progress")


@dataclass(frozen=True, slots=True)
class _Request:
    """What the options ask for, read but not yet held against a kernel."""

    inputs: Mapping[str, BoundValue]
    params: Mapping[str, BoundValue]
    files: Mapping[str, Path]
    domain: tuple[int, ...] | None


def run(args: argparse.Namespace) -> int:
    """Run the kernel that `args` name; 1 where the checker or the run refuses."""
    from kcheck.checker import check_bytes
    from kcheck.cli.report import JsonReport, TextReport
    from kcheck.runtime.errors import RunError

    request = _request(args)
    source = read_source(args.file)
    checked = check_bytes(source.data, source.path, source.loader)
    report = JsonReport(checked) if args.format == "json" else TextReport(checked, quiet=args.quiet)
    if checked.has_errors:
        report.refused()
        return 1
    try:
        program = _chosen(checked, args)
        result = _executed(program, request, args)
        report.done(result, request.files)
    except RunError as error:
        report.failed(error)
        return 1
    return 0


# ---------------------------------------------------------------- options


def _request(args: argparse.Namespace) -> _Request:
    from pathlib import Path

    files = {port: Path(path) for port, path in _pairs("-o", args.outputs)}
    return _Request(_values("-i", args.inputs), _values("-p", args.params), files, _domain(args.domain))


def _pairs(option: str, texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    seen = set()
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} {text}: needs NAME={'FILE' if option == '-o' else 'VALUE'}")
        if name.strip() in seen:
            raise UsageError(f"{option} {text}: `{name.strip()}` is given twice")
        seen.add(name.strip())
        yield name.strip(), value


def _values(option: str, texts: Iterable[str]) -> dict[str, BoundValue]:
    from kcheck.runtime.values.text import ValueSyntaxError, parse_value

    found = {}
    for name, text in _pairs(option, texts):
        try:
            found[name] = parse_value(text)
        except ValueSyntaxError as problem:
            raise UsageError(f"{option} {name}={text}: {problem}") from problem
    return found


def _domain(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,18}(x\d{1,18}){0,2}", text, re.ASCII):
        raise UsageError(f"--domain {text}: needs W, WxH or WxHxD")
    return tuple(int(size) for size in text.split("x"))


# ---------------------------------------------------------------- what to run


def _chosen(checked: Checked, args: argparse.Namespace) -> Program:
    """The kernel that is named, or the file's only item that can run; a scene is refused with K715."""
    kernels, scenes = list(checked.programs), list(checked.scenes)
    if args.scene is not None:
        raise _scene_refused(checked, _one_of(checked, "scene", args.scene, scenes))
    if args.kernel is not None:
        return checked.programs[_one_of(checked, "kernel", args.kernel, kernels)]
    if len(kernels) + len(scenes) != 1:
        there = ", ".join([*kernels, *scenes])
        hint = f"{there}; name one with --kernel" if there else "no kernel"
        raise UsageError(f"{checked.file.path} holds {hint}")
    if scenes:
        raise _scene_refused(checked, scenes[0])
    return checked.programs[kernels[0]]


def _one_of(checked: Checked, kind: str, asked: str, names: list[str]) -> str:
    found = [name for name in names if name == asked or name.rpartition("@")[0] == asked]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"--{kind} {asked}: say which version: {', '.join(found)}")
    raise UsageError(f"--{kind} {asked}: {checked.file.path} holds {', '.join(names) or f'no {kind}'}")


def _scene_refused(checked: Checked, name: str) -> Exception:
    from kcheck.checker import rules
    from kcheck.grammar import syntax
    from kcheck.grammar.spans import Origin
    from kcheck.runtime.errors import RunError

    items = ((item.key, item.node) for item in checked.file.items)
    key, scene = next((k, node) for k, node in items if isinstance(node, syntax.Scene) and node.name.text == name)
    origin = Origin(checked.file.path, key, scene.name.span)
    problem = f"scenes are not checked yet, so `{name}` cannot run; name a kernel with --kernel"
    return RunError(rules.SCENE_NOT_RUN.report(origin, problem))


# ---------------------------------------------------------------- the run


def _executed(program: Program, request: _Request, args: argparse.Namespace) -> Result:
    """Run, and write the outputs that go to files."""
    from pathlib import Path

    from kcheck.cli import progress
    from kcheck.runtime.backends import Options, execute
    from kcheck.runtime.values import saving
    from kcheck.runtime.values.incoming import Reading

    values = _named(program, request)
    slots = _written(program, request.files)
    for port, path in request.files.items():
        saving.check(slots[port], path)
    with progress.shown(program.name, quiet=args.quiet) as tell:
        options = Options(args.backend, Reading(Path(), srgb=args.srgb), progress=tell)
        result = execute(program, values, request.domain, options)
    writing = saving.Writing(srgb=args.srgb, rate=_rate(request))
    fields = {**result.fields, **result.memory_fields}
    for port, path in request.files.items():
        saving.write(slots[port], fields[port], path, writing)
    return result


def _named(program: Program, request: _Request) -> dict[str, BoundValue]:
    """All values by name; what stands under the wrong option is K701."""
    params = {param.name for param in program.params}
    ports = {port.name for port in (*program.inputs, *program.memories)}
    _refuse_first(program, request.inputs, params - ports, "is a param of", "set it with -p")
    _refuse_first(program, request.params, ports - params, "is no param of", "bind it with -i")
    return {**request.inputs, **request.params}


def _refuse_first(program: Program, given: Mapping[str, Any], misplaced: set[str], what: str, advice: str) -> None:
    from kcheck.checker import rules
    from kcheck.runtime.errors import RunError

    for name in given:
        if name in misplaced:
            problem = f"`{name}` {what} {program.name}; {advice}"
            raise RunError(rules.UNKNOWN_PORT.report(program.origin, problem))


def _written(program: Program, files: Mapping[str, Path]) -> dict[str, Slot]:
    """The ports that may be written to files, by name; K701 where another is asked for."""
    from kcheck.checker import rules
    from kcheck.runtime.errors import RunError
    from kcheck.runtime.values.slot import port_slot

    slots = {port.name: port_slot("output", port) for port in program.outputs}
    slots |= {port.name: port_slot("memory", port) for port in program.memories}
    for name in files:
        if name not in slots:
            problem = f"{program.name} has no output or memory `{name}`; it has {', '.join(slots)}"
            raise RunError(rules.UNKNOWN_PORT.report(program.origin, problem))
    return slots


def _rate(request: _Request) -> int:
    """The samples a second of the sounds to write: those of the first sound that was read."""
    from kcheck.checker.bindings import FileValue
    from kcheck.runtime.values import sounds

    if not any(path.suffix.lower() == ".wav" for path in request.files.values()):
        return sounds.DEFAULT_RATE
    read = (value.path for value in request.inputs.values() if isinstance(value, FileValue))
    found = next(filter(None, (re.fullmatch(r"(.*\.wav)(:\d+)?", path, re.IGNORECASE) for path in read)), None)
    return sounds.rate_of(found[1]) if found else sounds.DEFAULT_RATE
