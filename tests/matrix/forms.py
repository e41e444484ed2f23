"""The seven forms: each wraps a feature in a kernel of its mode, and says in plain Python what comes out.

A feature's statements end in `RETURN(name);`; each form puts there how its body gives a value.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import inf, nan, prod
from typing import Any

from tests.matrix.arithmetic import digest, fmax, fmin, fmul, rem, wrap
from tests.matrix.feature import INT, RANK_NAMES, Feature, Output, Shape, nest
from tests.support import Result

LANES = 16
Values = list[Any]


@dataclass(frozen=True)
class Binding:
    """What a form binds besides the feature's own columns."""

    inputs: Mapping[str, Any]
    memories: Mapping[str, Any]


@dataclass(frozen=True)
class Skeleton:
    """The parts of a kernel around a feature."""

    output: str
    """Declarations of outputs, and of the ports and types that come with them."""
    head: str
    give: str
    """What stands for `RETURN(VALUE);`."""
    items: str = ""
    before: str = ""
    """What the body does first."""
    tail: str = ""


def members(feature: Feature, form: Skeleton) -> list[str]:
    """The members of the kernel, each of which may stand anywhere among the others."""
    rank = RANK_NAMES[feature.rank]
    inputs = [f"input {c.port}: {RANK_NAMES[len(c.shape)] if c.shape else rank}<{c.type}>;" for c in feature.columns]
    locals_ = [f"let {c.name} = sample({c.port});" for c in feature.walked()]
    statements = re.sub(r"RETURN\((\w+)\);", lambda m: form.give.replace("VALUE", m[1]), feature.statements)
    body = f"{form.head} {{\n{chr(10).join([form.before, *locals_])}\n{statements}\n}}"
    parts = ["requires { field.read; field.write; }", *inputs, form.output, feature.members, body, form.tail]
    return [part for part in parts if part]


def kernel(feature: Feature, form: Skeleton) -> str:
    lines = "\n".join(members(feature, form))
    return f"{feature.items}\n{form.items}\nkernel matrix.cell@1 {{\n{lines}\n}}\n"


# ---------------------------------------------------------------- map


def map_skeleton(feature: Feature) -> Skeleton:
    if feature.outputs:
        record = ", ".join(f"{o.name}: {_of(o)}" for o in feature.outputs)
        return Skeleton(_outputs(feature), "compute", f"return {{ {record} }};")
    return Skeleton(f"output result: {RANK_NAMES[feature.rank]}<{feature.result.type}>;", "compute", "return VALUE;")


def map_expect(feature: Feature, shape: Shape, results: Values) -> Result:
    if feature.outputs:
        return Result({o.name: nest([o.meaning(r) for r in results], shape) for o in feature.outputs})
    return Result({"result": nest(results, shape)})


# ---------------------------------------------------------------- reduction


def reduction_skeleton(feature: Feature) -> Skeleton:
    if feature.ulp is not None:
        struct = "struct Fold { low: Float; high: Float; count: Int; }"
        value = "Fold { low: VALUE, high: VALUE, count: 1 }"
        merged = "Fold { low: min(a.low, b.low), high: max(a.high, b.high), count: a.count + b.count }"
    else:
        struct = "struct Fold { total: Int; mixed: Int; count: Int; }"
        value = "Fold { total: digest(VALUE), mixed: digest(VALUE), count: 1 }"
        merged = "Fold { total: a.total + b.total, mixed: a.mixed ^ b.mixed, count: a.count + b.count }"
    return Skeleton(
        f"{struct}\noutput result: Rows<Fold>;",
        f"compute over {_first(feature)}",
        f"return {value};",
        _digest(feature),
        tail=f"merge(a, b) {{ return {merged}; }}",
    )


def reduction_expect(feature: Feature, _: Shape, results: Values) -> Result:
    if feature.ulp is not None:
        low, high = reduce(fmin, results), reduce(fmax, results)
        return Result({"result": [{"low": low, "high": high, "count": len(results)}]})
    total, mixed = 0, 0
    for result in results:
        total, mixed = wrap(total + digest(result)), mixed ^ digest(result)
    return Result({"result": [{"total": total, "mixed": mixed, "count": len(results)}]})


# ---------------------------------------------------------------- scan


def scan_skeleton(feature: Feature) -> Skeleton:
    if feature.ulp is not None:
        return Skeleton(
            "struct Step { last: Float; mixed: Int; }\noutput result: Rows<Step>;",
            f"scan over {_first(feature)} with carry = Step {{ last: 0.0, mixed: 7 }}",
            "return Step { last: VALUE, mixed: carry.mixed * 31 + index() };",
        )
    return Skeleton(
        "output result: Rows<Int>;",
        f"scan over {_first(feature)} with carry = 7",
        "return carry * 31 + digest(VALUE);",
        _digest(feature),
    )


def scan_expect(feature: Feature, _: Shape, results: Values) -> Result:
    if feature.ulp is not None:
        mixed = _carried(range(len(results)))
        return Result({"result": [{"last": r, "mixed": m} for r, m in zip(results, mixed, strict=True)]})
    return Result({"result": _carried(digest(r) for r in results)})


def _carried(digests: Any) -> list[int]:
    return list(accumulate(digests, lambda carry, d: wrap(carry * 31 + d), initial=7))[1:]


# ---------------------------------------------------------------- memory scan

CELLS = 13


def memory_skeleton(feature: Feature) -> Skeleton:
    """Each step mixes its value with what an earlier step (or nobody) left three cells back, and writes."""
    if feature.ulp is not None:
        declared = "memory cells: Rows<Float>;\noutput result: Rows<Float>;"
        init, now, given = "0.0", "VALUE", "max(carry, at(cells, i - 3))"
    else:
        declared = "memory cells: Rows<Int>;\noutput result: Rows<Int>;"
        init, now, given = "7", "at(cells, i - 3) * 31 + digest(VALUE)", "now ^ carry"
    steps = [
        "let i = index();",
        f"let now = {now};",
        f"let next = {given};",
        "put(cells, i * 5 % 16 - 2, now);",
        "return next;",
    ]
    head = f"scan over {_first(feature)} with carry = {init}"
    return Skeleton(declared, head, "\n".join(steps), _digest(feature))


def memory_bind(feature: Feature, _: Shape) -> Binding:
    cells = [i * 0.5 - 9.0 if feature.ulp is not None else i * i for i in range(CELLS)]
    return Binding({}, {"cells": cells})


def memory_expect(feature: Feature, shape: Shape, results: Values) -> Result:
    cells = list(memory_bind(feature, shape).memories["cells"])
    carry: Any = 0.0 if feature.ulp is not None else 7
    given = []
    for i, result in enumerate(results):
        old = cells[min(max(i - 3, 0), CELLS - 1)]
        now = result if feature.ulp is not None else wrap(old * 31 + digest(result))
        carry = fmax(carry, old) if feature.ulp is not None else now ^ carry
        given.append(carry)
        if 0 <= i * 5 % 16 - 2 < CELLS:
            cells[i * 5 % 16 - 2] = now
    return Result({"result": given}, {"cells": cells})


# ---------------------------------------------------------------- scatter


def scatter_op(feature: Feature) -> str:
    if feature.result == INT:
        return "sum"
    return "max" if feature.result.type == "Float" else "last"


def scatter_skeleton(feature: Feature) -> Skeleton:
    """Pairs at places that repeat and at places outside, and where the operator allows a second pair each."""
    second = {"sum": "VALUE ^ index()", "max": "VALUE * 0.5"}.get(scatter_op(feature))
    emit = f"emit(Hit {{ slot: slot(3), value: {second} }});\n" if second else ""
    return Skeleton(
        f"""struct Hit {{ slot: Int; value: {feature.result.type}; }}
input target: Rows<{feature.result.type}>;
output result: Rows<{feature.result.type}>;
fn slot(step: Int) -> Int {{ return index() * step % (size(target) + 4) - 2; }}""",
        f"scatter over {_first(feature)} into target with {scatter_op(feature)}",
        f"{emit}return Hit {{ slot: slot(7), value: VALUE }};",
    )


def scatter_bind(feature: Feature, shape: Shape) -> Binding:
    size = max(prod(shape), 1)
    match scatter_op(feature):
        case "sum":
            cells: Values = [i * 1000 - 7 for i in range(size)]
        case "max":
            cells = [(-inf, nan, -0.0, -2.5)[i % 4] for i in range(size)]
        case _:
            cells = [feature.results(shape)[-1]] * size
    return Binding({"target": cells}, {})


def scatter_expect(feature: Feature, shape: Shape, results: Values) -> Result:
    cells = list(scatter_bind(feature, shape).inputs["target"])
    op = scatter_op(feature)
    for i, result in enumerate(results):
        for step, value in [*_emitted(feature, op, i, result), (7, result)]:
            slot = rem(i * step, len(cells) + 4) - 2
            if 0 <= slot < len(cells):
                cells[slot] = _combined(op, cells[slot], value)
    return Result({"result": cells})


def _emitted(feature: Feature, op: str, i: int, result: Any) -> list[tuple[int, Any]]:
    match op:
        case "sum":
            return [(3, result ^ i)]
        case "max":
            return [(3, fmul(result, 0.5) if feature.ulp is None else result * 0.5)]
        case _:
            return []


def _combined(op: str, old: Any, new: Any) -> Any:
    match op:
        case "sum":
            return wrap(old + new)
        case "max":
            return fmax(old, new)
        case _:
            return new


# ---------------------------------------------------------------- prefix


def prefix_skeleton(feature: Feature) -> Skeleton:
    op, element, value = ("max", "Float", "VALUE") if feature.ulp is not None else ("sum", "Int", "digest(VALUE)")
    return Skeleton(
        f"output result: Rows<{element}>;",
        f"prefix over {_first(feature)} with {op}",
        f"return {value};",
        _digest(feature),
    )


def prefix_expect(feature: Feature, _: Shape, results: Values) -> Result:
    if feature.ulp is not None:
        return Result({"result": list(accumulate(results, fmax))})
    return Result({"result": list(accumulate(map(digest, results), lambda a, b: wrap(a + b)))})


# ---------------------------------------------------------------- group

OTHER_LANE = "lane() * 3 - 4"


def group_skeleton(feature: Feature) -> Skeleton:
    """Each lane hands its result to others; where the body may return early, its first column before that."""
    head = f"group {LANES}"
    if feature.outputs:
        exchanges = [f"let other_{o.name} = exchange({_of(o)}, {OTHER_LANE});" for o in feature.outputs]
        record = ", ".join(f"{o.name}: other_{o.name}" for o in feature.outputs)
        return Skeleton(_outputs(feature), head, "\n".join([*exchanges, f"return {{ {record} }};"]))
    first = feature.walked()[0]
    theirs = first.type if feature.returns_early else feature.result.type
    exchanged = f"sample({first.port})" if feature.returns_early else "VALUE"
    exchange = f"let theirs = exchange({exchanged}, {OTHER_LANE});"
    give = "return Two { mine: VALUE, theirs: theirs };"
    return Skeleton(
        f"struct Two {{ mine: {feature.result.type}; theirs: {theirs}; }}\n"
        f"output result: {RANK_NAMES[feature.rank]}<Two>;",
        head,
        give if feature.returns_early else f"{exchange}\n{give}",
        before=exchange if feature.returns_early else "",
    )


def group_expect(feature: Feature, shape: Shape, results: Values) -> Result:
    others = [_other_lane(i, len(results)) for i in range(len(results))]
    if feature.outputs:
        return Result({o.name: nest([o.meaning(results[k]) for k in others], shape) for o in feature.outputs})
    first = feature.walked()[0]
    theirs = [first.value(k) if feature.returns_early else results[k] for k in others]
    pairs = [{"mine": r, "theirs": t} for r, t in zip(results, theirs, strict=True)]
    return Result({"result": nest(pairs, shape)})


def _other_lane(i: int, count: int) -> int:
    """The element that element `i` hears from."""
    start = i - i % LANES
    lanes = min(LANES, count - start)
    return start + min(max(i % LANES * 3 - 4, 0), lanes - 1)


# ---------------------------------------------------------------- all


def nothing(_: Feature, __: Shape) -> Binding:
    return Binding({}, {})


@dataclass(frozen=True)
class Form:
    """`skeleton` makes the kernel, `bind` what it needs besides the columns, `expect` says what comes out."""

    name: str
    skeleton: Callable[[Feature], Skeleton]
    expect: Callable[[Feature, Shape, Values], Result]
    bind: Callable[[Feature, Shape], Binding] = nothing


FORMS = (
    Form("map", map_skeleton, map_expect),
    Form("reduction", reduction_skeleton, reduction_expect),
    Form("scan", scan_skeleton, scan_expect),
    Form("memory scan", memory_skeleton, memory_expect, memory_bind),
    Form("scatter", scatter_skeleton, scatter_expect, scatter_bind),
    Form("prefix", prefix_skeleton, prefix_expect),
    Form("group", group_skeleton, group_expect),
)


def _first(feature: Feature) -> str:
    return feature.walked()[0].port


def _digest(feature: Feature) -> str:
    if feature.ulp is not None:
        return ""
    return f"fn digest(r: {feature.result.type}) -> Int {{ return {feature.result.digest}; }}"


def _outputs(feature: Feature) -> str:
    return "\n".join(f"output {o.name}: {RANK_NAMES[feature.rank]}<{o.type}>;" for o in feature.outputs)


def _of(output: Output) -> str:
    return re.sub(r"\br\b", "VALUE", output.text)
