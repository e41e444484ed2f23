"""`kcheck run`: runs one kernel of a file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kcheck.cli.files import UsageError, add_read_limit, read_limit, read_source

if TYPE_CHECKING:
    from pathlib import Path

    from kcheck.checker.checked import Checked
    from kcheck.cli.execution import Request
    from kcheck.cli.report import JsonReport, TextReport

BACKENDS = ("auto", "interpreter", "jit", "gpu")

_DESCRIPTION = """\
Runs one kernel of a file and shows its outputs. What the checker refuses is not run.

A VALUE is a literal ([1, 2, 3], [[0.5, 1], [2, 3]], {"x": 1}, 0.25, true, NaN), a generator (zeros(1000),
range(10), random((64, 64), seed=1)) or a file: .npy, .npz:key, .png, .jpg, .tif, .exr, .wav, .flac, .wav:0
(one channel), .csv:column, .parquet:column, .arrow:column, .json, .bin:uint8, .bin:float32:640x480, and
frames/*.png for a volume. Pictures are read as linear colours, and written as sRGB. - is a literal on standard
input, -.wav a sound there, and -o PORT=-.csv writes a table to standard output.
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
    add_read_limit(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no remarks, no progress")


def run(args: argparse.Namespace) -> int:
    """Run the kernel that `args` name; 1 where the checker or the run refuses."""
    from kcheck.checker import check_bytes, rules
    from kcheck.checker.settings import settled
    from kcheck.cli.execution import chosen, executed
    from kcheck.runtime.errors import RunError
    from kcheck.runtime.laws import RUN_SECONDS, judged

    request = _request(args)
    source = read_source(args.file)
    checked = check_bytes(source.data, source.path, source.loader)
    report = _report(checked, args)
    if checked.has_errors:
        report.refused()
        return 1
    try:
        program = chosen(checked, kernel=args.kernel, scene=args.scene)
        checked = settled(judged(checked, RUN_SECONDS, only=[program.name]), laws=False)
        report = _report(checked, args)
        if checked.has_errors:
            report.refused()
            return 1
        report.done(program, executed(program, request), request.files)
    except RunError as error:
        report.failed(error)
        return 1
    except MemoryError:
        problem = "the results do not fit into memory a second time, to be printed; write them to files with -o"
        report.failed(RunError(rules.FIELD_TOO_LARGE.report(program.origin, problem)))
        return 1
    return 0


def _report(checked: Checked, args: argparse.Namespace) -> TextReport | JsonReport:
    from kcheck.cli.report import JsonReport, TextReport

    return JsonReport(checked) if args.format == "json" else TextReport(checked, quiet=args.quiet)


def _request(args: argparse.Namespace) -> Request:
    from pathlib import Path

    from kcheck.cli.execution import Request

    files = {port: Path(path) for port, path in _pairs("-o", args.outputs)}
    if len(set(files.values())) < len(files):
        raise UsageError("-o: two outputs cannot go to one file")
    _check_streams(args, files.values())
    return Request(
        inputs=dict(_pairs("-i", args.inputs)),
        params=dict(_pairs("-p", args.params)),
        files=files,
        domain=_domain(args.domain),
        backend=args.backend,
        srgb=args.srgb,
        limit=read_limit(args.read_limit),
        fast=args.fast,
        quiet=args.quiet,
    )


def _check_streams(args: argparse.Namespace, files: Iterable[Path]) -> None:
    """Standard input and output serve one purpose each."""
    from kcheck.runtime.values.source import is_stream

    written = [path for path in files if is_stream(path)]
    if written and args.format == "json":
        raise UsageError("-o: with --format json standard output is taken")
    if len(written) > 1:
        raise UsageError("-o: two outputs cannot go to standard output")
    piped = [text for text in (*args.inputs, *args.params) if re.match(r"[^=]*=\s*-(\.\w|\s*$)", text)]
    if args.file == "-" and piped:
        raise UsageError(f"{piped[0]}: standard input is the kernel's text already")


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


def _domain(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,18}(x\d{1,18}){0,2}", text, re.ASCII):
        raise UsageError(f"--domain {text}: needs W, WxH or WxHxD")
    return tuple(int(size) for size in text.split("x"))
