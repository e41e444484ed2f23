"""Features: ports, positions, domains of every size and rank, params."""

import math
from math import inf, nan
from typing import Any

from tests.matrix.arithmetic import fadd, fclamp, fdiv, floor, fmul, fsub, mix, pcg, to_int, wrap
from tests.matrix.columns import MIXED, SMALL, feature, floats, listed
from tests.matrix.feature import FLOAT, VEC2, VEC3, Column, Element, Output

ONE_OUTPUT = "this mode has one output (K309)"
TABLE = Column("table", "Float", listed((0.0, 1.0, -3.0, 10.0, 2.5)), (5,))
PICTURE = Column("picture", "Vec3", lambda i: [float(i), float(i * i), -1.0], (3, 4))
CLOUD = Column("cloud", "Float", lambda i: float(i * i), (2, 3, 4))
GRID = (Column("a", "Int", lambda i: i * i - 30),)
POSITIONS = floats((0.0, 0.1, 0.125, 0.3, 0.5, 0.7, 0.99, 1.0, -0.4, 1.5, inf, -inf, nan, -0.0, 0.25))
AROUND_BLOCKS = tuple((n,) for n in (63, 64, 65, 127, 128, 129, 255, 256, 257))


def linear(values: list[Any], position: float) -> tuple[int, int, float]:
    """The two neighbours of a position along an axis, and how far it is between them."""
    p = 0.0 if math.isnan(position) else fclamp(position, 0.0, 1.0)
    x = fsub(fmul(p, float(len(values))), 0.5)
    low = to_int(floor(x))
    last = len(values) - 1
    return min(max(low, 0), last), min(max(low + 1, 0), last), fsub(x, floor(x))


def filtered_row(e: Element) -> float:
    cells = [TABLE.value(i) for i in range(5)]
    low, high, t = linear(cells, e["u"])
    return mix(cells[low], cells[high], t)


def filtered_picture(e: Element) -> list[float]:
    x0, x1, tx = linear([0] * 4, e["u"])
    y0, y1, ty = linear([0] * 3, fsub(1.0, e["u"]))

    def row(y: int, c: int) -> float:
        return mix(e.at("picture", x0, y)[c], e.at("picture", x1, y)[c], tx)

    return [mix(row(y0, c), row(y1, c), ty) for c in range(3)]


def grid_place(e: Element) -> list[float]:
    return [fadd(float(c), fdiv(c + 0.5, float(n))) for c, n in zip(e.coord, e.size, strict=True)]


def volume(e: Element) -> list[float]:
    added = (0.0, float(e.index), 0.5)
    return [c * 2.0 + n + x for c, n, x in zip(e.coord, e.size, added, strict=True)]


def at_grid(e: Element) -> list[float]:
    first = e.at("picture", to_int(floor(e["u"])), to_int(floor(fmul(e["u"], 0.5))))
    x, y, z = e.at("picture", e.index % 5, 1)
    return [fadd(a, b) for a, b in zip(first, (z, x, y), strict=True)]


def mixed(e: Element) -> float:
    first = fadd(float(e["a"]), e["v"][0]) if e["on"] else fadd(e["u"], e["v"][3])
    return fadd(fadd(first, e.at("table", e["a"])), 16.0)


def params(e: Element) -> float:
    total = fadd(e["x"], float(e["n"])) if e["on"] else e["x"]
    total = fadd(total, fadd(e["v"][1], e["m"][1][0]))
    total = fadd(total, float(e["t"][2] + e["p"]["n"]))
    return fadd(fadd(total, e["s"]["Disc"]["r"]), float(e["a"]))


PLACES = (
    feature(
        "at: inside and outside",
        (*SMALL, TABLE),
        "let r = at(in_a, a) * 100 + at(in_a, index() + 1) * 10 + at(in_a, -5) + int(at(in_table, a));",
        lambda e: wrap(
            e.at("a", e["a"]) * 100 + e.at("a", e.index + 1) * 10 + e.at("a", 0) + int(e.at("table", e["a"]))
        ),
    ),
    feature(
        "at: Grid by Vec2 and by Ints",
        (*floats((-9.5, -0.25, 0.0, 0.99, 1.0, 2.5, 3.999, 1e9, -1e9)), PICTURE),
        "let r = at(in_picture, vec2(u, u * 0.5)) + at(in_picture, index() % 5, 1).zxy;",
        at_grid,
        VEC3,
    ),
    feature(
        "at: Volume",
        (*MIXED, CLOUD),
        "let r = at(in_cloud, a, a - 1, index() % 2) + at(in_cloud, vec3(u, -u, 0.5));",
        lambda e: fadd(
            e.at("cloud", e["a"], e["a"] - 1, e.index % 2),
            e.at("cloud", to_int(floor(e["u"])), to_int(floor(-e["u"])), 0),
        ),
        FLOAT,
    ),
    feature(
        "sample at a position: Rows",
        (*POSITIONS, TABLE),
        "let r = sample(in_table, u);",
        filtered_row,
        FLOAT,
        count=30,
    ),
    feature(
        "sample at a position: Grid",
        (*POSITIONS, PICTURE),
        "let r = sample(in_picture, vec2(u, 1.0 - u));",
        filtered_picture,
        VEC3,
        count=30,
    ),
    feature(
        "index, domain, size",
        SMALL,
        "let r = index() * 1000 + domain() + size(in_a) * 7 + coord();",
        lambda e: e.index * 1001 + e.shape[0] * 8,
    ),
    feature(
        "place",
        SMALL,
        "let r = place() + float(a);",
        lambda e: fadd(fdiv(e.index + 0.5, 37.0), float(e["a"])),
        FLOAT,
    ),
    feature(
        "Grid",
        GRID,
        "let r = coord() + place() + float(a - at(in_a, coord()));",
        grid_place,
        VEC2,
        shapes=((5, 7), (1, 1), (33, 2)),
    ),
    feature(
        "Grid: neighbours",
        GRID,
        """let c = coord();
let r = at(in_a, c + vec2(1.0, 0.0)) - at(in_a, c - vec2(0.0, 1.0)) + index()
  + int(domain().x) * 100 + int(size(in_a).y) * 10000;""",
        lambda e: (
            e.at("a", e.coord[0] + 1, e.coord[1])
            - e.at("a", e.coord[0], e.coord[1] - 1)
            + e.index
            + e.size[0] * 100
            + e.size[1] * 10000
        ),
        shapes=((4, 9), (9, 4)),
    ),
    feature(
        "Volume",
        GRID,
        "let r = coord() * 2.0 + size(in_a) + vec3(float(at(in_a, coord()) - a), float(index()), 0.5);",
        volume,
        VEC3,
        shapes=((2, 3, 4), (3, 1, 5)),
    ),
    feature("one element", SMALL, "let r = a + index() + domain();", lambda e: e["a"] + 1, shapes=((1,),)),
    feature(
        "no element",
        SMALL,
        "let r = a + index();",
        lambda e: e["a"] + e.index,
        shapes=((0,),),
        refused={"reduction": "K706"},
    ),
    feature(  # so much local memory that a backend which works block by block takes small ones
        "sizes around blocks",
        (Column("a", "Int", pcg),),
        """var wide = [0; 9000];
wide[index() * 7 % 9000] = a;
let r = wide[index() * 7 % 9000] * 3 + index();""",
        lambda e: wrap(e["a"] * 3 + e.index),
        shapes=AROUND_BLOCKS,
        walk_shapes=((65,),),
    ),
    feature(
        "mixed inputs",
        (
            *MIXED,
            Column("on", "Bool", lambda i: i % 3 == 0),
            Column("v", "Vec4", lambda i: [float(i), 0.5, -1.0, float(i % 2)]),
            TABLE,
            PICTURE,
        ),
        """let first = if on { float(a) + v.x } else { u + v.w } + at(in_table, a);
let r = first + sample(in_picture, vec2(0.125, 0.5)).y;""",
        mixed,
        FLOAT,
    ),
    feature(
        "several outputs",
        MIXED,
        "let r = Pair { n: a * 2, f: u };",
        lambda e: {"n": e["a"] * 2, "f": e["u"]},
        items="""struct Pair { n: Int; f: Float; }
""",
        outputs=(
            Output("whole", "Int", "r.n", lambda r: r["n"]),
            Output("real", "Vec2", "vec2(r.f, float(r.n))", lambda r: [r["f"], float(r["n"])]),
            Output("positive", "Bool", "r.n > 0", lambda r: r["n"] > 0),
        ),
        absent=dict.fromkeys(("reduction", "scan", "memory scan", "scatter", "prefix"), ONE_OUTPUT),
    ),
    feature(
        "params of every type",
        MIXED,
        """var r = if on { x + float(n) } else { x };
r += v.y + m[1].x;
r += float(t[2] + p.n);
r += match s { Disc { r } => r, Dot => 0.0 };
r += float(a);""",
        params,
        FLOAT,
        params={
            "on": True,
            "n": -7,
            "x": 0.25,
            "v": [1.0, 2.5, 0.0],
            "m": [[1.0, 2.0], [3.5, 4.0]],
            "t": [1, 2, 30],
            "p": {"n": 4, "f": 0.5},
            "s": {"Disc": {"r": 1.5}},
        },
        items="""struct Pair { n: Int; f: Float; }
enum Shape { Dot; Disc { r: Float; } }
""",
        members="""param on: Bool = false;
param n: Int;
param x: Float = 1.0 in 0.0..1.0;
param v: Vec3;
param m: Mat2;
param t: [Int; 3];
param p: Pair;
param s: Shape;""",
    ),
    feature(
        "params by default",
        SMALL,
        "let r = a * k + int(v.y) + int(on) + t[1];",
        lambda e: e["a"] * 6 + 2 + 1 + 9,
        members="""param k: Int = TWO * 3 in 0..9;
param v: Vec2 = vec2(1.0, 2.0);
param on: Bool = true;
param t: [Int; 2] = [8, 9];
const TWO: Int = 2;""",
    ),
)
