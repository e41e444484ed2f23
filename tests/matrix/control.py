"""Features: names, branches, matches, loops and functions."""

import math

from tests.matrix.arithmetic import div, fadd, fmul, rem, wrap
from tests.matrix.columns import INT_PAIRS, MIXED, SMALL, SMALL_PAIRS, feature
from tests.matrix.feature import FLOAT, Column, Element, ResultType

POINT = """struct Point { x: Int; y: Int; }
"""
POINT_TYPE = ResultType("Point", (("r.x", False), ("r.y", False)))


def shadowing(e: Element) -> int:
    a: int = e["a"]
    return (a + 1) * 2 * 1000 + a + 1


def match_ranges(e: Element) -> int:
    a: int = e["a"]
    if a == 0:
        return 100
    if a in (1, 2):
        return 200 + a
    if 3 <= a < 9:
        return 300
    return 400 if -4 <= a <= -1 else 500 - a


def else_if(e: Element) -> int:
    a: int = e["a"]
    if a < -1:
        return 1
    if a < 2:
        return 2 + a
    return 3 if a == 2 else 4 * a


def nested_loops(e: Element) -> int:
    total = 0
    for i in range(max(e["b"], 0)):
        for j in range(i, 4):
            total = wrap(total * 3 + i * j + e["a"])
    return total


def until_mid(e: Element) -> int:
    total = 0
    for i in range(10):
        if total > 20 or i == e["b"] + 4:
            break
        total += i + (e["a"] & 7)
    return total


def collatz(e: Element) -> int:
    """`loop 200 until n == 1`, counting the rounds."""
    n, rounds = (e["a"] & 31) + 1, 0
    while n != 1 and rounds < 200:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        rounds += 1
    return rounds


def find(e: Element) -> int:
    """The first i below 10 with i * i >= a, times 100; else -1."""
    return next((i * 100 for i in range(10) if i * i >= e["a"]), -1)


def gcd(e: Element) -> int:
    return math.gcd(e["a"], e["b"])


def early(e: Element) -> int:
    a: int = e["a"]
    return 7 if a < 0 else 8 if a > 5 else a * a


def early_in_loop(e: Element) -> int:
    a: int = e["a"]
    return next((i * 10 + a for i in range(6) if i == a), -a)


def closed(e: Element) -> int:
    total = 0
    for i in range(e["b"], e["a"] + 1):
        total = wrap(total * 2 + i)
    return total


def backwards(e: Element) -> int:
    total: int = e["a"]
    for i in (4, 3, 2, 1, 0):
        total = total * 2 + i
    return total


def counted(e: Element) -> int:
    total: int = e["a"]
    for _ in range(max(e["b"], 0)):
        total = wrap(total * 3 + 1)
    return total


def search(e: Element) -> int:
    seen = 0
    for i in range(5):
        for _ in range(3):
            if seen > 9:
                break
            seen += 1
            if seen * i == e["a"] + e["b"]:
                return seen * 100 + i
    return -seen


CONTROL = (
    feature(
        "let",
        SMALL,
        """let p = a + 1;
let q: Int = p * p;
let r = q - p;""",
        lambda e: (e["a"] + 1) * e["a"],
    ),
    feature(
        "var",
        MIXED,
        """var r: Int = a;
r = r * r;
if u > 0.0 { r = r + 1; }
r = -r;""",
        lambda e: -(e["a"] ** 2 + (e["u"] > 0)),
    ),
    feature(
        "shadowing",
        SMALL,
        """let p = a + 1;
var r = 0;
{ let p = p * 2; r = p * 1000; }
let a = p;
r += a;""",
        shadowing,
    ),
    feature(
        "block as a value",
        SMALL,
        "let r = { let p = a * 3; let q = p - 1; q * p };",
        lambda e: (e["a"] * 3 - 1) * e["a"] * 3,
    ),
    feature(
        "match on an Int",
        SMALL,
        "let r = match a { 0 => 100, 1 | 2 => 200 + a, 3..9 => { 300 } -4..=-1 => 400, _ => 500 - a };",
        match_ranges,
    ),
    feature(
        "match on a Bool, as a statement",
        SMALL,
        """var r = a;
match a % 2 == 0 { true => { r = r * 10; } false => { r -= 1; } }""",
        lambda e: e["a"] * 10 if e["a"] % 2 == 0 else e["a"] - 1,
    ),
    feature(
        "if as a value",
        INT_PAIRS,
        "let r = if a < b { a } else { b - 1 };",
        lambda e: e["a"] if e["a"] < e["b"] else wrap(e["b"] - 1),
        count=81,
    ),
    feature(
        "else if",
        SMALL,
        """var r = 0;
if a < -1 { r = 1; } else if a < 2 { r = 2 + a; } else if a == 2 { r = 3; }
else { r = 4 * a; }""",
        else_if,
    ),
    feature(
        "select takes both sides",
        SMALL_PAIRS,
        "let r = select(b == 0, a, a / b);",
        lambda e: div(e["a"], e["b"]),
        count=55,
    ),
    feature(
        "for: empty",
        SMALL,
        """var r = a;
for i in 5..5 { r += 100; }
for i in 9..3 { r += 1000; }
for i in 3..=2 { r += i; }""",
        lambda e: e["a"],
    ),
    feature(
        "for: bounds from data, closed",
        SMALL_PAIRS,
        """var r = 0;
for i in b..=a { r = r * 2 + i; }""",
        closed,
        count=55,
    ),
    feature(
        "for: nested",
        SMALL_PAIRS,
        """var r = 0;
for i in 0..b { for j in i..4 { r = r * 3 + i * j + a; } }""",
        nested_loops,
        count=55,
    ),
    feature(
        "for: backwards",
        SMALL,
        """var r = a;
for k in 0..5 { let i = 4 - k; r = r * 2 + i; }""",
        backwards,
    ),
    feature(
        "for: bounds are taken once",
        SMALL,
        """var r = 4;
for i in 0..r { r += a; }""",
        lambda e: 4 + 4 * e["a"],
    ),
    feature(
        "loop: counted, negative is none",
        SMALL_PAIRS,
        """var r = a;
loop b { r = r * 3 + 1; }""",
        counted,
        count=55,
    ),
    feature(
        "until: at once",
        SMALL,
        """var r = a;
for i in 0..9 until r == a { r += 1; }
loop 9 until true { r += 10; }""",
        lambda e: e["a"],
    ),
    feature(
        "until: in the middle",
        SMALL_PAIRS,
        """var r = 0;
for i in 0..10 until r > 20 || i == b + 4 { r += i + (a & 7); }""",
        until_mid,
        count=55,
    ),
    feature(
        "until: never",
        SMALL,
        """var r = a;
loop 5 until r > 1000000 { r += 3; }""",
        lambda e: e["a"] + 15,
    ),
    feature(
        "until: data decides",
        SMALL,
        """var n = (a & 31) + 1;
var r = 0;
loop 200 until n == 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; r += 1; }""",
        collatz,
    ),
    feature(
        "return inside a loop",
        SMALL,
        "let r = find(a);",
        find,
        items="""fn find(n: Int) -> Int {
  for i in 0..10 { if i * i >= n { return i * 100; } }
  return -1;
}
""",
    ),
    feature(
        "return inside nested loops",
        SMALL_PAIRS,
        "let r = search(a, b);",
        search,
        count=55,
        items="""fn search(a: Int, b: Int) -> Int {
  var seen = 0;
  for i in 0..5 {
    loop 3 until seen > 9 { seen += 1; if seen * i == a + b { return seen * 100 + i; } }
  }
  return -seen;
}
""",
    ),
    feature(
        "early return from the body",
        SMALL,
        """if a < 0 { let r = 7; RETURN(r); }
if a > 5 { let r = 8; RETURN(r); }
let r = a * a;
RETURN(r);""",
        early,
    ),
    feature(
        "early return from a loop of the body",
        SMALL,
        """for i in 0..6 { if i == a { let r = i * 10 + a; RETURN(r); } }
let r = -a;
RETURN(r);""",
        early_in_loop,
    ),
    feature(
        "calls",
        SMALL_PAIRS,
        "let r = twice(twice(a)) - add(b, twice(1)) * add(a, b);",
        lambda e: wrap(e["a"] * 4 - (e["b"] + 2) * (e["a"] + e["b"])),
        count=55,
        items="""fn twice(n: Int) -> Int { return n + n; }
fn add(x: Int, y: Int) -> Int { x + y }
""",
    ),
    feature(
        "calls: arguments are copies",
        SMALL,
        """var t = [a, 2, 3];
let s = total(t);
let r = s * 100 + t[0];""",
        lambda e: (9 + 5) * 100 + e["a"],
        items="""fn total(values: [Int; 3]) -> Int {
  var v = values;
  v[0] = 9;
  return v[0] + v[1] + v[2];
}
""",
    ),
    feature(
        "early returns from a function",
        SMALL_PAIRS,
        "let r = gcd(abs(a), abs(b));",
        gcd,
        count=55,
        items="""fn gcd(a: Int, b: Int) -> Int {
  if b == 0 { return a; }
  var x = a;
  var y = b;
  loop 64 { if y == 0 { return x; } let t = x % y; x = y; y = t; }
  return -1;
}
""",
    ),
    feature(
        "functions in a kernel see its ports and params",
        MIXED,
        "let r = scaled(2) + own();",
        lambda e: wrap((e["a"] + 2) * e["k"] + e.at("a", e.index + 1)),
        params={"k": 5},
        members="""param k: Int;
fn scaled(n: Int) -> Int { return (sample(in_a) + n) * k; }
fn own() -> Int { at(in_a, index() + 1) }""",
    ),
    feature(
        "functions that give structs",
        SMALL,
        """let p = turn(turn(Point { x: a, y: 3 }));
let r = Point { x: p.y, y: p.x };""",
        lambda e: {"x": -3, "y": -e["a"]},
        POINT_TYPE,
        items=POINT
        + """fn turn(p: Point) -> Point { return Point { x: -p.y, y: p.x }; }
""",
    ),
    feature(
        "user functions over built-ins",
        MIXED,
        "let r = max(u, 1.0) + smooth(u);",
        lambda e: fadd(fmul(e["u"], 3.0), fadd(e["u"], 0.25)),
        FLOAT,
        items="""fn max(a: Float, b: Float) -> Float { return a * (b + 2.0); }
fn smooth(a: Float) -> Float { a + 0.25 }
""",
    ),
    feature(
        "words that are names elsewhere",
        (Column("sum", "Int", lambda i: i * 3 - 5),),
        """let max = sum + 1;
let over = max * 2;
let r = over - sum;""",
        lambda e: (e.index * 3 - 4) * 2 - (e.index * 3 - 5),
    ),
    feature(
        "constants and params",
        SMALL,
        "let r = a * LIMIT + k + table[a % 2 + 1] + inner;",
        lambda e: wrap(e["a"] * 12 + e["k"] + [5, 6, 7][rem(e["a"], 2) + 1] + 24),
        params={"k": -4},
        items="""const LIMIT: Int = HALF * 2;
const HALF: Int = 6;
const table: [Int; 3] = [5, 6, 7];
""",
        members="""param k: Int = 3 in -10..10;
const inner: Int = LIMIT * 2;""",
    ),
)
