"""Judgements kept on disk, by a hash of all that they depend on: the program, the prover's sources, z3's version.

Layout, comments and names of kernels change nothing.  What was refuted is replayed before it is shown again.  Nothing
here fails because of the folder: an entry that cannot be read is as good as none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kcheck.checker import ir
from kcheck.checker.law.evaluate import Case, Evaluate, SmallField
from kcheck.checker.law.problem import Law
from kcheck.checker.law.running import Runner
from kcheck.checker.law.sampling import Failed
from kcheck.checker.law.special import confirmed_special
from kcheck.checker.law.verdict import (
    REFUTED,
    UNKNOWN,
    Judgement,
    LawFinding,
    Repeated,
    Tree,
    Trial,
    UndefinedStep,
    Witness,
)
from kcheck.checker.law.witness import confirmed, confirmed_undefined
from kcheck.grammar.cached_files import forget_old, read, write

Object = dict[str, Any]


class Cache:
    """Judgements in a folder, which is made when there is something to keep."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_tidy = False

    def get(self, program: ir.Program, seconds: float, evaluate: Callable[[], Evaluate]) -> Judgement | None:
        """What is known of a reduction; what is unknown counts only if no less time was spent on it."""
        entry = _read(self._path(program))
        try:
            if entry is None or (entry["seconds"] < seconds and _has_unknown(entry)):
                return None
            return _judgement(entry, program, evaluate)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            return None  # not what this version writes

    def put(self, judgement: Judgement, seconds: float) -> None:
        """Keep a judgement for which so many seconds were allowed, unless it was a mishap that cut it short."""
        if not judgement.is_lasting:
            return
        if not self._is_tidy:
            self._is_tidy = True
            forget_old(self._folder, "*.json")
        path = self._path(judgement.program)
        write(path.parent, {path.name: json.dumps(_entry(judgement, seconds)).encode()})

    def _path(self, program: ir.Program) -> Path:
        return self._folder / f"{_key(program)}.json"


def _key(program: ir.Program) -> str:
    nameless = replace(program, name="", outputs=())
    return sha256(f"{ir.content_hash(nameless)}\0{_version()}".encode()).hexdigest()[:40]


_versions: list[str] = []


def _version() -> str:
    """A name for the prover and the solver as they are installed."""
    if not _versions:
        made_of = sha256()
        for path in sorted(Path(__file__).parents[1].rglob("*")):
            if path.suffix in (".py", ".kernel"):
                status = path.stat()
                made_of.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\0".encode())
        made_of.update("".join(_solver_names()).encode())
        _versions.append(made_of.hexdigest())
    return _versions[0]


def _solver_names() -> Iterator[str]:
    spec = find_spec("z3")
    if spec is not None and spec.origin is not None:
        yield from sorted(path.name for path in Path(spec.origin).parents[1].glob("z3_solver-*"))


def _read(path: Path) -> Object | None:
    """The entry, if it lies there whole."""
    try:
        entry = json.loads(read(path) or b"")
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


# ---------------------------------------------------------------- to JSON


def _entry(judgement: Judgement, seconds: float) -> Object:
    undefined, special = judgement.undefined, judgement.special
    return {
        "seconds": seconds,
        "laws": [_law_entry(finding) for finding in judgement.laws],
        "undefined": None if undefined is None else _undefined_entry(undefined),
        "special": None if special is None else _witness_entry(special),
    }


def _law_entry(finding: LawFinding) -> Object:
    return {
        "law": finding.law.value,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "assuming": finding.assuming,
        "seconds": finding.seconds,
        "witness": None if finding.witness is None else _witness_entry(finding.witness),
    }


def _witness_entry(witness: Witness) -> Object:
    left, right = _tree_entry(witness.left.tree), _tree_entry(witness.right.tree)
    return {"case": _case_entry(witness.case), "left": left, "right": right}


def _undefined_entry(undefined: UndefinedStep) -> Object:
    return {"case": _case_entry(undefined.case), "tree": _tree_entry(undefined.tree)}


def _tree_entry(tree: Tree) -> Any:
    match tree:
        case int():
            return tree
        case Repeated():
            return {"tree": _tree_entry(tree.tree), "count": tree.count}
        case _:
            return [_tree_entry(side) for side in tree]


def _case_entry(case: Case) -> Object:
    fields = {name: {"shape": field.shape, "elements": field.elements} for name, field in case.fields.items()}
    return {"fields": fields, "params": dict(case.params)}


# ---------------------------------------------------------------- from JSON


def _has_unknown(entry: Object) -> bool:
    return entry["undefined"] is None and any(law["verdict"] == UNKNOWN for law in entry["laws"])


def _judgement(entry: Object, program: ir.Program, evaluate: Callable[[], Evaluate]) -> Judgement | None:
    """The judgement, with all witnesses replayed; None where one does not hold up."""
    special = entry["special"]
    replay = _Replay(program, evaluate)
    undefined = None if entry["undefined"] is None else replay.undefined(entry["undefined"])
    found = Judgement(
        program,
        tuple(replay.finding(law) for law in entry["laws"]),
        undefined,
        None if special is None else confirmed_special(program, evaluate(), _trial(special)),
    )
    lost = (entry["undefined"] is not None) - (found.undefined is not None)
    lost += (special is not None) - (found.special is not None)
    lost += sum(finding.verdict == REFUTED and finding.witness is None for finding in found.laws)
    return None if lost or {finding.law for finding in found.laws} != set(Law) else found


class _Replay:
    def __init__(self, program: ir.Program, evaluate: Callable[[], Evaluate]) -> None:
        self._program = program
        self._evaluate = evaluate

    def finding(self, entry: Object) -> LawFinding:
        witness = None
        if entry["witness"] is not None:
            witness = confirmed(self._runner(), _trial(entry["witness"]))
        return LawFinding(
            Law(entry["law"]),
            str(entry["verdict"]),
            reason=str(entry["reason"]),
            assuming=tuple(map(str, entry["assuming"])),
            witness=witness,
            seconds=float(entry["seconds"]),
        )

    def undefined(self, entry: Object) -> Any:
        return confirmed_undefined(self._runner(), Failed(_case(entry["case"]), _tree(entry["tree"])))

    def _runner(self) -> Runner:
        from kcheck.checker.law.stepwise import runner_of  # needed for witnesses alone

        return runner_of(self._program, self._evaluate)


def _trial(entry: Mapping[str, Any]) -> Trial:
    return Trial(_case(entry["case"]), _tree(entry["left"]), _tree(entry["right"]))


def _case(entry: Mapping[str, Any]) -> Case:
    fields = {
        name: SmallField(tuple(field["shape"]), tuple(map(tuple, field["elements"])))
        for name, field in entry["fields"].items()
    }
    return Case(fields, {name: tuple(value) for name, value in entry["params"].items()})


def _tree(entry: Any) -> Tree:
    if isinstance(entry, int):
        return entry
    if isinstance(entry, dict):
        return Repeated(_tree(entry["tree"]), max(int(entry["count"]), 2))
    left, right = entry
    return _tree(left), _tree(right)
