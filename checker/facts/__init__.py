"""What stands where in a checked file: what each name means, the type of each expression, what is in sight.

The editor's features read these facts.  They are worked out, item by item, from what lowering noted (`Recorder`)
when somebody asks for them; spans count from the start of the item.
"""

from kcheck.checker.facts.calls import CallSite, Parameter
from kcheck.checker.facts.item import ItemFacts, Reference, gather
from kcheck.checker.facts.surroundings import Names
from kcheck.checker.facts.symbols import Symbol, SymbolKind

__all__ = ["CallSite", "ItemFacts", "Names", "Parameter", "Reference", "Symbol", "SymbolKind", "gather"]
