"""The formatter: one style, the same tree, every comment.

`cursor` reads tokens and comments, `items`, `code` and `brackets` lay them out as `document`s, `render` breaks the
lines, and `files` does it for whole files and for ranges.
"""

from kcheck.grammar.formatter.files import Formatted, Replacement, format_range, format_text

__all__ = ["Formatted", "Replacement", "format_range", "format_text"]
