"""Features: structs, vectors, matrices, arrays and enums."""

from typing import Any

from tests.matrix.arithmetic import fadd, fmul, rem, wrap
from tests.matrix.columns import MIXED, PLAIN_FLOATS, SMALL, feature, listed
from tests.matrix.feature import FLOAT, VEC2, VEC3, VEC4, Column, Element, ResultType

PAIR = """struct Pair { n: Int; f: Float; }
"""
PAIR_TYPE = ResultType("Pair", (("r.n", False), ("r.f", True)))
BOX = """struct Point { x: Int; y: Int; }
struct Box { low: Point; high: Point; tags: [Int; 3]; }
"""
SHAPE = """enum Shape { Dot; Disc { r: Float; } Rect { w: Float; h: Float; } Ring { r: Float; n: Int; } }
"""

V2 = Column("p", "Vec2", lambda i: [PLAIN_FLOATS[i % 11], PLAIN_FLOATS[(i + 3) % 11]])
V3 = Column("p", "Vec3", lambda i: [PLAIN_FLOATS[(i * k + k) % 11] for k in (1, 2, 3)])
V4 = Column("p", "Vec4", lambda i: [PLAIN_FLOATS[(i * k + k) % 11] for k in (1, 2, 3, 4)])
M2 = Column("m", "Mat2", lambda i: [[float(i % 5), -1.5], [2.0, float(i % 3)]])
SHAPES = Column(
    "s",
    "Shape",
    listed(
        [
            "Dot",
            {"Disc": {"r": 1.5}},
            {"Rect": {"w": 2.0, "h": 0.25}},
            {"Ring": {"r": 8.0, "n": 3}},
            {"Disc": {"r": -2.0}},
        ]
    ),
)


def nested(e: Element) -> int:
    a = e["a"]
    low, high, tags = {"x": a, "y": 1}, {"x": 2, "y": a}, [a, wrap(a * a), 5]
    high = dict(low)
    low["y"] = 40 + a
    tags[1] = tags[1] - a
    return wrap(low["x"] + 3 * low["y"] + 5 * high["x"] + 7 * high["y"] + 11 * tags[0] + 13 * tags[1] + tags[2])


def broadcast(e: Element) -> list[float]:
    k = e["u"]
    return [fadd(fmul(c, k), fadd(k, -c)) for c in e["p"]]


def fdot(a: list[float], b: list[float]) -> float:
    total = fmul(a[0], b[0])
    for x, y in zip(a[1:], b[1:], strict=True):
        total = fadd(total, fmul(x, y))
    return total


def cross(a: list[float], b: list[float]) -> list[float]:
    return [fadd(fmul(a[i], b[j]), -fmul(a[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]


def matrix(e: Element) -> list[float]:
    """`m * m * vec2(u, 1)` for a matrix whose entries are small whole or half numbers."""
    m, u = e["m"], e["u"]
    square = [[fadd(fmul(m[0][row], column[0]), fmul(m[1][row], column[1])) for row in (0, 1)] for column in m]
    return [fadd(fmul(square[0][row], u), fmul(square[1][row], 1.0)) for row in (0, 1)]


def matrix_parts(e: Element) -> list[float]:
    m, u = e["m"], e["u"]
    changed = [[m[0][0], u], [fadd(m[1][0], 1.0), fadd(m[1][1], 1.0)]]
    return [*changed[0], *changed[1]]


def area(e: Element) -> float:
    match e["s"]:
        case "Dot":
            return 0.0
        case {"Disc": {"r": r}}:
            return float(r * r * 3.0)
        case {"Rect": {"w": w, "h": h}}:
            return float(w * h)
        case {"Ring": {"r": r, "n": n}}:
            return float(r - n)
    raise AssertionError


def same_shape(e: Element) -> int:
    s = e["s"]
    return 4 * int(s == "Dot") + 2 * int(s != {"Disc": {"r": 1.5}}) + int(s == {"Rect": {"w": 2.0, "h": 0.25}})


def clamped(items: list[Any], i: int) -> Any:
    return items[min(max(i, 0), len(items) - 1)]


def outside(e: Element) -> int:
    """Reads clamp, writes outside are dropped; `+=` outside reads clamped and drops the write."""
    a = e["a"]
    cells = [10, 20, 30, 40]
    if 0 <= a < 4:
        cells[a] = 99
    if 0 <= a - 2 < 4:
        cells[a - 2] += 5
    return wrap(clamped(cells, a) * 1000 + sum(cells) + clamped(cells, -a))


def copies(e: Element) -> int:
    first = [e["a"], 1, 2]
    second = list(first)
    second[0] = 7
    first[1] = 50
    return wrap(first[0] + 10 * first[1] + 100 * second[0] + 1000 * second[1])


def components(e: Element) -> list[float]:
    r = list(e["p"])
    if 0 <= e["a"] < 4:
        r[e["a"]] = e["u"]
    r[1] = clamped(r, e["a"] - 3)
    return r


def from_data(e: Element) -> int:
    cells = [10, 20, 30, 40, 50]
    i = rem(e.index, 5)
    cells[i] += e["a"]
    return cells[i] * 100 + cells[4 - i]


def luma(p: list[float]) -> float:
    r, g, b = map(abs, p)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


STRUCTURES = (
    feature(
        "struct: make and read",
        MIXED,
        """let p = Pair { f: u * 2.0, n: a + 1 };
let r = p.n * 10 + int(p.f);""",
        lambda e: (e["a"] + 1) * 10 + int(e["u"] * 2.0),
        items=PAIR,
    ),
    feature(
        "struct: write a field",
        MIXED,
        """var r = Pair { n: a, f: u };
r.n = r.n * 3;
r.f += 1.0;
r.n -= 1;""",
        lambda e: {"n": e["a"] * 3 - 1, "f": fadd(e["u"], 1.0)},
        PAIR_TYPE,
        items=PAIR,
    ),
    feature(
        "struct: nested, with arrays",
        SMALL,
        """var b = Box { low: Point { x: a, y: 1 }, high: Point { x: 2, y: a }, tags: [a, a * a, 5] };
b.high = b.low;
b.low.y = 40 + a;
b.tags[1] -= a;
let r = b.low.x + 3 * b.low.y + 5 * b.high.x + 7 * b.high.y + 11 * b.tags[0] + 13 * b.tags[1] + b.tags[2];""",
        nested,
        items=BOX,
    ),
    feature(
        "struct: input and equality",
        (Column("p", "Pair", lambda i: {"n": i % 3, "f": PLAIN_FLOATS[i % 2]}), *MIXED),
        "let r = int(p == Pair { n: 1, f: 1.0 }) + 2 * int(p != Pair { n: 2, f: p.f }) + p.n;",
        lambda e: (e["p"] == {"n": 1, "f": 1.0}) + 2 * (e["p"]["n"] != 2) + e["p"]["n"],
        items=PAIR,
    ),
    feature(
        "swizzle: read",
        (V4, *MIXED),
        "let r = vec4(p.wz, p.r, p.xxy.z);",
        lambda e: [e["p"][3], e["p"][2], e["p"][0], e["p"][1]],
        VEC4,
    ),
    feature(
        "swizzle: write",
        (V3, *MIXED),
        """var r = p;
r.zx = vec2(u, r.y);
r.g += 1.0;""",
        lambda e: [e["p"][1], fadd(e["p"][1], 1.0), e["u"]],
        VEC3,
    ),
    feature(
        "vector: components by number",
        (V4, *MIXED),
        """var r = p;
r[a] = u;
r[1] = r[a - 3];""",
        components,
        VEC4,
    ),
    feature("vector with scalar", (V2, *MIXED), "let r = p * u + (u - p);", broadcast, VEC2),
    feature(
        "dot and cross",
        (V3, *MIXED),
        """let q = p.yzx;
let r = cross(p, q) + dot(p, q);""",
        lambda e: [fadd(c, fdot(e["p"], [*e["p"][1:], e["p"][0]])) for c in cross(e["p"], [*e["p"][1:], e["p"][0]])],
        VEC3,
    ),
    feature(
        "luma",
        (V3, *MIXED),
        "let r = int(round(luma(abs(p)) / (1.0 + luma(vec4(abs(p), u))) * 1000.0));",
        lambda e: round(luma(e["p"]) / (1.0 + luma(e["p"])) * 1000.0),
    ),
    feature("matrix products", (M2, *MIXED), "let r = m * m * vec2(u, 1.0);", matrix, VEC2),
    feature(
        "matrix columns",
        (M2, *MIXED),
        """var c = m;
c[0].y = u;
c[1] += 1.0;
let r = vec4(c[a % 2 - 1], c[a + 10]);""",
        matrix_parts,
        VEC4,
    ),
    feature(
        "matrix inverse",
        (M2, *MIXED),
        """let c = mat2(vec2(2.0, 0.0), vec2(1.0, 4.0));
let t = transpose(inverse(c)) * determinant(c);
let r = vec4(t[0], t[1]) + float(a);""",
        lambda e: [4.0 + e["a"], -1.0 + e["a"], 0.0 + e["a"], 2.0 + e["a"]],
        VEC4,
    ),
    feature(
        "array: fixed places",
        SMALL,
        """var t = [a, a + 1, a * 2];
t[2] = t[0] + t[1];
let z = [7; 4];
let r = t[0] + 10 * t[1] + 100 * t[2] + z[3];""",
        lambda e: e["a"] + 10 * (e["a"] + 1) + 100 * (2 * e["a"] + 1) + 7,
    ),
    feature(
        "array: places from data",
        MIXED,
        """var t = [10, 20, 30, 40, 50];
let i = index() % 5;
t[i] += a;
let r = t[i] * 100 + t[4 - i];""",
        from_data,
    ),
    feature(
        "array: outside",
        SMALL,
        """var t = [10, 20, 30, 40];
t[a] = 99;
t[a - 2] += 5;
let r = t[a] * 1000 + (t[0] + t[1] + t[2] + t[3]) + t[-a];""",
        outside,
    ),
    feature(
        "array: input, of arrays",
        (Column("t", "[[Int; 2]; 3]", lambda i: [[i, i + 1], [i * i, -i], [5, 6]]), *MIXED),
        """var c = t;
c[1][0] = c[2][1] + c[0][0];
let r = c[1][0] * 100 + c[0][1] + c[a][1];""",
        lambda e: (6 + e.index) * 100 + e.index + 1 + [e.index + 1, -e.index, 6][min(max(e["a"], 0), 2)],
    ),
    feature(
        "value copies",
        SMALL,
        """var t = [a, 1, 2];
var c = t;
c[0] = 7;
t[1] = 50;
let r = t[0] + 10 * t[1] + 100 * c[0] + 1000 * c[1];""",
        copies,
    ),
    feature(
        "enum: match on a variant",
        (SHAPES, *MIXED),
        """let r = match s { Dot => 0.0, Disc { r } => r * r * 3.0, Rect { w, h: tall } => { w * tall }
  Ring { r: radius, n } => radius - float(n) };""",
        area,
        FLOAT,
        items=SHAPE,
    ),
    feature(
        "enum: make and compare",
        (SHAPES, *MIXED),
        """let first = 4 * int(s == Dot) + 2 * int(s != Shape.Disc { r: 1.5 });
let r = first + int(s == Rect { w: 2.0, h: 0.25 });""",
        same_shape,
        items=SHAPE,
    ),
    feature(
        "enum: a var that changes",
        MIXED,
        """var s = Shape.Dot;
if a > 2 { s = Shape.Ring { r: u, n: a }; } else if a < 0 { s = Disc { r: u * 2.0 }; }
let r = match s { Dot => 1.0, Disc { r } => r, Ring { n } => float(n), Rect => -1.0 };""",
        lambda e: float(e["a"]) if e["a"] > 2 else fmul(e["u"], 2.0) if e["a"] < 0 else 1.0,
        FLOAT,
        items=SHAPE,
    ),
)
