"""Reductions for tests of the prover, from their parts."""

from kcheck.checker import ir
from tests.support import program_of


def source(element: str, result: str, compute: str, merge: str, before: str = "", members: str = "") -> str:
    """A kernel over `values: Rows<element>`; `before` are items, `members` more inputs and params."""
    return f"""{before}
kernel test.merge@1 {{
  requires {{ field.read; field.write; }}
  input values: Rows<{element}>;
  {members}
  output result: Rows<{result}>;
  compute over values {{ {compute} }}
  merge(a, b) {{ {merge} }}
}}
"""


def reduction(element: str, result: str, compute: str, merge: str, before: str = "", members: str = "") -> ir.Program:
    return program_of(source(element, result, compute, merge, before, members))


def over_ints(merge: str) -> ir.Program:
    return reduction("Int", "Int", "sample(values)", merge)


def over_floats(merge: str) -> ir.Program:
    return reduction("Float", "Float", "sample(values)", merge)


LARGER = "k > top.key[j] || (k == top.key[j] && n < top.id[j])"
"""Whether an element of `largest` comes before another: the larger key, then the smaller number."""


def largest(count: int, compute: str, test: str = LARGER) -> ir.Program:
    """The largest elements with their numbers, by insertion; `compute` makes a `Top` of one."""
    merge = f"""
var top = a;
for i in 0..{count} {{
  var k = b.key[i];
  var n = b.id[i];
  for j in 0..{count} {{
    if {test} {{
      let old = top.key[j];
      let number = top.id[j];
      top.key[j] = k;
      top.id[j] = n;
      k = old;
      n = number;
    }}
  }}
}}
top
"""
    return reduction("Int", "Top", compute, merge, f"struct Top {{ key: [Int; {count}]; id: [Int; {count}]; }}")
