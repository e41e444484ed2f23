"""From text to a syntax tree and the diagnostics that reading it gave."""

from kcheck.grammar.parser import decode, parse

__all__ = ["decode", "parse"]
