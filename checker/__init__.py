"""From parsed files to checked programs: names, types, the rules, and the typed core IR."""

from kcheck.checker.check import Loader, check_bytes, check_text
from kcheck.checker.checked import Checked, LawVerdict

__all__ = ["Checked", "LawVerdict", "Loader", "check_bytes", "check_text"]
