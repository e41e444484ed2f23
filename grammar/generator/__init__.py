"""Makes the product's parser out of `kernel.tx`.

textX stays the one definition of the syntax. It reads `kernel.tx`; from the parser model that it builds this
package writes a Python module that reads the same texts to the same objects, or fails at the same place with
the same expectations, some forty times faster and without textX. Of a failure it also tells in which elements of
lists it happened, which textX does not; `recovery.py` goes on behind them.

    reader.py      textX's metamodel   -> shapes.py: the grammar in a few typed classes
    patterns.py    what can be told of a regular expression
    firsts.py      which characters an expression may begin with, and whether it may match nothing
    checks.py      refuses what those below do not model
    code.py        an expression       -> Python statements; undo.py says what they forget when they fail
    rules.py       a rule              -> a Python function
    module.py      a grammar           -> the source of a module; frame.py holds its fixed parts, names.py its names
    cache.py       keeps the compiled module in the user's cache folder
    reference.py   textX itself, read the same way; what the generated parser is compared with

All but the last two know nothing of Kernel and work for any grammar. What they cannot turn into exactly the
same parser they refuse by `Unsupported`; they never guess.
"""
