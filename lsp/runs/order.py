"""The order of a kernel's members: programs have them by name, people as they wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from kcheck.checker.ir import ParamDecl, PortDecl

_Member = TypeVar("_Member", PortDecl, ParamDecl)


def as_written(members: Iterable[_Member]) -> list[_Member]:
    return sorted(members, key=lambda member: member.origin.span.start)
