"""Programs as deep, long and wide as the parser lets through: they are checked without fail, and their IR is valid."""

from __future__ import annotations

import pytest

from kcheck.checker import check_text, ir
from tests.checker.sources import checked_of, gives, kernel, program, run

DEEP = 240

BODIES = {
    "brackets": ("return " + "(" * DEEP + "sample(x)" + ")" * DEEP + ";", 3),
    "negations": ("return " + "-(" * (DEEP // 2) + "sample(x)" + ")" * (DEEP // 2) + ";", 3),
    "calls": ("return " + "abs(" * DEEP + "sample(x)" + ")" * DEEP + ";", 3),
    "blocks": ("{" * DEEP + "let _a = 1;" + "}" * DEEP + " return sample(x);", 3),
    "values of blocks": ("return " + "{" * DEEP + "sample(x)" + "}" * DEEP + ";", 3),
    "ifs": ("var y = 0;" + "if sample(x) > y {" * DEEP + "y += 1;" + "}" * DEEP + "return y;", 1),
    "values of ifs": ("return " + "if sample(x) == 0 { 1 } else { " * DEEP + "7" + "}" * DEEP + ";", 7),
    "returns in ifs": ("return " + "if sample(x) == 0 { return 1; } else { " * DEEP + "7" + "}" * DEEP + ";", 7),
    "else-if chain": (
        "return " + "".join(f"if sample(x) == {i} {{ {i * 10} }} else " for i in range(DEEP)) + "{ 0 };",
        30,
    ),
    "else-if statements": (
        "var y = 0;" + "".join(f"if sample(x) == {i} {{ y = {i * 10}; }} else " for i in range(DEEP)) + "{ } return y;",
        30,
    ),
    "matches": ("return " + "match sample(x) { 3 => " * DEEP + "7" + ", _ => 0 }" * DEEP + ";", 7),
    "statement matches": (
        "var y = 0;" + "match sample(x) { 3 => " * DEEP + "{ y = 7; }" + ", _ => { } }" * DEEP + " return y;",
        7,
    ),
    "loops": ("var y = 0;" + "loop 1 {" * DEEP + " y += 5; " + "}" * DEEP + "return y;", 5),
    "untils": ("var y = 0;" + "for i_ in 0..2 until y > 0 {" * DEEP + "y = 5;" + "}" * DEEP + "return y;", 5),
    "positions": ("return " + "[3, 9]" + "[" + "[0, 1][" * (DEEP - 10) + "0" + "]" * (DEEP - 10) + "];", 3),
    "a sum": ("return " + " + ".join(["sample(x)"] * DEEP) + ";", 3 * DEEP),
    "ands": ("return if " + " && ".join(["sample(x) > 0"] * DEEP) + " { 1 } else { 0 };", 1),
    "nested ands": (
        "return if " + "sample(x) > 0 && (" * (DEEP // 2) + "true" + ")" * (DEEP // 2) + " { 1 } else { 0 };",
        1,
    ),
    "spread scalars": ("return int((vec2(1.0)" + " * (2.0 - vec2(1.0)" * (DEEP // 3) + ")" * (DEEP // 3) + ").x);", 1),
    "arms": ("return match sample(x) {" + "".join(f"{i} => {i + 1}," for i in range(300)) + " _ => 0 };", 4),
    "elements": ("let a = [" + ",".join(map(str, range(5000))) + "]; return a[sample(x) * 1000];", 3000),
    "statements": ("var y = 0;" + "y += sample(x);" * 500 + "return y;", 1500),
}


@pytest.mark.parametrize(("body", "value"), BODIES.values(), ids=BODIES)
def test_deep_and_long_bodies(body: str, value: int) -> None:
    made = program(kernel(body))
    assert run(made, x=[3], domain=(1,))["r"] == [value]


def test_a_deep_acting_expression() -> None:
    ports = "input x: Rows<Int>; memory m: Rows<Int>; output r: Rows<Int>;"
    body = "return " + "t(" * 200 + "sample(x)" + ")" * 200 + ";"
    members = "fn t(v: Int) -> Int { put(m, 0, at(m, 0) + 1); return v; }"
    gives(kernel(body, ports, head="scan over x with _y = 0", members=members), {"r": [5], "m": [200]}, x=[5], m=[0])
    body = "return if " + "u(1) && (" * 100 + "u(0)" + ")" * 100 + " { 1 } else { 2 };"
    members = "fn u(v: Int) -> Bool { put(m, 0, at(m, 0) + 1); return v > 0; }"
    gives(kernel(body, ports, head="scan over x with _y = 0", members=members), {"r": [2], "m": [101]}, x=[5], m=[0])


def test_a_wide_acting_expression() -> None:
    ports = "input x: Rows<Int>; memory m: Rows<Int>; output r: Rows<Int>;"
    body = "var v = 1; let a = [" + ", ".join(["v + t()"] * 400) + "]; return a[399] + v;"
    members = "fn t() -> Int { put(m, 0, at(m, 0) + 1); return at(m, 0); }"
    gives(kernel(body, ports, head="scan over x with _y = 0", members=members), {"r": [402], "m": [400]}, x=[5], m=[0])


@pytest.mark.parametrize(("step", "used"), [(1, False), (-1, True)])
def test_two_hundred_functions_that_call_each_other(step: int, used: bool) -> None:
    lines = ["fn f0(a: Int) -> Int { return a; }"]
    lines += [f"fn f{i}(a: Int) -> Int {{ return f{i - 1}(a) + f{i // 2}(a); }}" for i in range(1, 200)]
    text = "\n".join(lines[::step]) + (kernel("return f199(sample(x));") if used else "")
    checked = checked_of(text)
    for made in checked.programs.values():
        assert len(made.functions) == 201


def test_functions_with_deep_bodies_that_call_each_other() -> None:
    deep = [f"fn f{i}(a: Int) -> Int {{ return {'abs(' * 150}f{i - 1}(a){')' * 150}; }}" for i in range(1, 15)]
    program("\n".join(deep[::-1]) + "fn f0(a: Int) -> Int { return a; }" + kernel("return f14(sample(x));"))


def test_many_kernels_share_functions() -> None:
    functions = "\n".join(f"fn f{i}(a: Int) -> Int {{ return {f'f{i - 1}(a) + 1' if i else 'a'}; }}" for i in range(20))
    kernels = "".join(kernel(f"return f{i % 20}(sample(x));", name=f"k{i}@1") for i in range(20))
    assert len(checked_of(functions + kernels).programs) == 20


def test_no_node_is_too_deep() -> None:
    made = program(kernel(BODIES["statement matches"][0]))
    level: list[ir.Node] = [made.functions[-1].body]
    depth = 0
    while level:
        depth += 1
        level = [child for node in level for child in ir.children(node)]
    assert DEEP < depth < ir.MAX_DEPTH


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "// only a comment", "/* */", ";", "kernel", "kernel a@1 { }", "fn", "use ;"]
)
def test_next_to_nothing(text: str) -> None:
    checked = check_text(text)
    assert not checked.programs
    assert checked.file.text == text
