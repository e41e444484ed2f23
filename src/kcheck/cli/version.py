"""Which version this is."""

from __future__ import annotations


def installed_version() -> str:
    """The version that is installed; `0` where the sources run without being installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("kcheck")
    except PackageNotFoundError:
        return "0"
