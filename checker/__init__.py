"""From parsed files to checked programs: names, types, the rules, and the typed core IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kcheck.checker.check import Loader, check_bytes, check_text
    from kcheck.checker.checked import Checked, LawVerdict

__all__ = ["Checked", "LawVerdict", "Loader", "check_bytes", "check_text"]


def __getattr__(name: str) -> Any:
    """Load the checker when it is first asked for: `kcheck explain` needs the rules alone."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kcheck.checker import check, checked

    return getattr(checked if name in ("Checked", "LawVerdict") else check, name)
