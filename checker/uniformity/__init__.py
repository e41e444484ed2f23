"""Uniformity: which values all lanes of a group share, and whether all lanes reach each `exchange` alike."""

from kcheck.checker.uniformity.analysis import Uniformity, Violation, analyse

__all__ = ["Uniformity", "Violation", "analyse"]
