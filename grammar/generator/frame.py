"""What stands in every generated parser, around the functions of its rules.

Some of it is filled in by `str.format`; there braces are doubled.
"""

HEAD = '''\
"""A parser generated from a textX grammar, as textX {version} reads it. Do not edit: it is made anew.

See kcheck/grammar/generator/code.py for how to read the functions below.
"""

import re

boundary = re.compile(r"\\b").match
# The one round of a loop that is none: `continue` gives up its body, `break` ends it.
ONCE = (None,)


def to_bool(text):
    return text == "1" or text.lower() == "true"


def to_string(text):
    return text[1:-1].replace(r"\\"", '"').replace(r"\\'", "'")


class Ways(dict):
    """The rules of a choice that are worth trying, by the next character; None stands for any."""

    def __missing__(self, character):
        return self.get("\\x80", ()) if character > "\\x7f" else ()


def by_first_character(*ways):
    table = Ways({{None: [parse for parse, _ in ways]}})
    for parse, characters in ways:
        for character in characters:
            table.setdefault(character, []).append(parse)
    return table


class Node:
    """What a rule read. The position is that of the first token, the end that of the last."""

    __slots__ = ("_tx_position", "_tx_position_end")
'''

FAST_HEAD = '''
def fast_parser():
    """Gives a function that parses: to the tree and how far it got; the tree is None if there is an error."""
    src = ""
    pos = end = far = 0
'''

FAST_RUN = """
def run(text):
    nonlocal src, pos, end, far
    src = text
    pos = far = skip(text, 0).end()
    end = -1
    tree = {top}()
    if tree is None or pos != len(text):
        return None, max(far, pos)
    # For a text without a token textX gives an empty one.
    return tree if end >= 0 else "", pos


return run
"""

TRACKING_HEAD = '''
def tracking_parser():
    """Gives a function that parses: to the farthest place of failure, what was expected there, and inside of what."""
    src = ""
    pos = end = raw = far = FAR = 0
    hidden = False
    expected = set()
    inside = []
    elements = ()

    def miss(name):
        """A terminal did not match; where it was not to match, its name says nothing."""
        nonlocal far, expected, elements
        if hidden:
            hide(pos)
        elif pos > far:
            far = pos
            expected = {name}
            elements = tuple(inside)
        elif pos == far:
            expected.add(name)
            if len(inside) > len(elements):
                elements = tuple(inside)

    def hide(place):
        """Notes a failure in or of a `!`."""
        nonlocal far, expected, elements
        if place > far:
            far = place
            expected = {"Not"}
            elements = tuple(inside)
'''

TRACKING_RUN = """
def run(text, reached):
    nonlocal src, pos, end, raw, far, FAR, hidden, expected, elements
    src = text
    FAR = reached
    pos = skip(text, 0).end()
    raw, end, hidden = 0, -1, False
    # textX notes a comment that is missing before the first token.
    far, expected = {first_far}, {first_expected}
    elements = ()
    inside.clear()
    if {top}() is not None and pos != len(text):
        miss("EOF")
    return far, frozenset(expected), elements


return run
"""

TAIL = '''
_fast = fast_parser()
_tracking = tracking_parser()


def read(text):
    """The tree of a text, or None; the offset where reading stopped, the names expected there, the elements around."""
    tree, reached = _fast(text)
    if tree is not None:
        return tree, reached, frozenset(), ()
    return None, *_tracking(text, reached)
'''
