"""What file formats raise; the port and the file's name are added where they are known."""

from __future__ import annotations


class Unreadable(Exception):
    """A file that is not what its ending says; the text tells why."""


class Unwritable(Exception):
    """Values that this kind of file cannot hold; the text tells why."""
