"""The prelude: built-ins that are written in the language itself, and the pass that expands calls of them.

The text (`*.kernel` in this folder) is the definition of these built-ins in strict mode.  Programs keep them as
`BuiltinCall`s; a backend that has no form of its own for one runs `expand_prelude` first.
"""

from kcheck.checker.prelude.expand import (
    COMPOSITE_BUILTINS,
    ELEMENTARY_BUILTINS,
    PRELUDE_BUILTINS,
    Key,
    composite_text,
    elementary_function,
    expand_prelude,
    functions_for,
    key_of,
)

__all__ = [
    "COMPOSITE_BUILTINS",
    "ELEMENTARY_BUILTINS",
    "PRELUDE_BUILTINS",
    "Key",
    "composite_text",
    "elementary_function",
    "expand_prelude",
    "functions_for",
    "key_of",
]
