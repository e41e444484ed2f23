"""`kcheck new`: a package to start from."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from kcheck.cli.files import UsageError

_SETTINGS = """\
# What `kcheck check` makes of findings here; remove a `#` to take a line in.
# allow = ["K209"]
# require-proof = true
"""

_KERNELS = """\
/// Makes a signal louder, and keeps it between -1 and 1.
kernel {name}.gain@1 {{
  requires {{ field.read; field.write; }}
  input samples: Rows<Float>;
  output result: Rows<Float>;
  param amount: Float = 2.0 in 0.0..16.0;

  compute {{
    return clamp(sample(samples) * amount, -1.0, 1.0);
  }}

  example quiet {{
    samples = [0.0, 0.25, -0.125, 0.75];
    expect result = [0.0, 0.5, -0.25, 1.0];
  }}
}}

/// The loudest sample.
kernel {name}.peak@1 {{
  requires {{ field.read; field.write; }}
  input samples: Rows<Float>;
  output result: Rows<Float>;

  compute over samples {{
    return abs(sample(samples));
  }}
  merge(a, b) {{
    return max(a, b);
  }}

  example three {{
    samples = [0.5, -0.75, 0.25];
    expect result = [0.75];
  }}
}}
"""

_EXAMPLES = """\
examples:
  kcheck new filters
  kcheck new kernels/filters && kcheck test kernels/filters
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "new",
        help="make a package to start from",
        description="Makes a folder with two kernels, their examples and a settings file. Nothing is overwritten.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder to make; its name is that of the package")


def run(args: argparse.Namespace) -> int:
    """Make the package; prints the paths of its files."""
    folder = Path(args.folder)
    name = folder.resolve().name
    if not name.isidentifier() or not name.isascii():
        raise UsageError(f"a package is called by letters, digits and `_`, but not `{name}`")
    files = {folder / "kcheck.toml": _SETTINGS, folder / f"{name}.kernel": _KERNELS.format(name=name)}
    for path in files:
        if path.exists():
            raise UsageError(f"{path} is there already")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from error
    for path in files:
        print(path)
    return 0
