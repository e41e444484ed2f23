"""Signature help: which signatures, which of them, which argument."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from kcheck.checker.builtins import BY_NAME, CONSTRUCTORS, PLACE_WORDS, PORT_WORDS
from kcheck.lsp.features.signature import signature_help
from tests.lsp.views import marked_view, start_of

KERNEL = """
/// Mixes two colours.
fn blend(low: Vec3, high: Vec3, share: Float) -> Vec3 {{ return mix(low, high, share); }}
fn act(n: Int) {{ }}
kernel photo.map@1 {{
  requires {{ field.read; field.write; }}
  input source: Image;
  output result: Image;
  compute {{
    let pixel = sample(source);
    {body}
  }}
}}
"""


def help_at(text: str) -> lsp.SignatureHelp | None:
    view, marks = marked_view(text)
    return signature_help(view, start_of(view, marks[0]))


def active(body: str) -> tuple[str, str] | None:
    """The signature that is taken to be meant, and its argument that is being written."""
    found = help_at(KERNEL.format(body=body))
    if found is None:
        return None
    signature = found.signatures[found.active_signature or 0]
    parameters = signature.parameters or []
    if (found.active_parameter or 0) >= len(parameters):
        return signature.label, ""
    place = parameters[found.active_parameter or 0].label
    assert isinstance(place, tuple)
    return signature.label, signature.label[place[0] : place[1]]


BLEND = "blend(low: Vec3, high: Vec3, share: Float) -> Vec3"


@pytest.mark.parametrize(
    ("body", "label", "argument"),
    [
        ("let y = blend(«»", BLEND, "low: Vec3"),
        ("let y = blend(pixel.rgb«»);", BLEND, "low: Vec3"),
        ("let y = blend(pixel.rgb, «»);", BLEND, "high: Vec3"),
        ("let y = blend(pixel.rgb, vec3(0.0), «»", BLEND, "share: Float"),
        ("let y = blend(max(1.0, 2.0), vec3(0.0, 1.0, 2.0), 0.5«»", BLEND, "share: Float"),
        ("let y = blend(max(pixel.rgb, 2.0), (pixel + pixel).rgb, pixel«»", BLEND, "share: Float"),
        ("let y = blend(a, b, c, «»", BLEND, ""),
        ("act(«»);", "act(n: Int)", "n: Int"),
        ("let y = mix(pixel, «»", "mix(a: Vec4, b: Vec4, t: Vec4) -> Vec4", "b: Vec4"),
        ("let y = mix(pixel.r, «»", "mix(a: Float, b: Float, t: Float) -> Float", "b: Float"),
        ("let y = max(1, «»", "max(a: Int, b: Int) -> Int", "b: Int"),
        ("let y = at(source, «»", "at(field, address)", "address"),
        ("let y = at(source, 1, «»", "at(field, x: Int, y: Int)", "y: Int"),
        ("let y = sample(«»", "sample(field)", "field"),
        ("let y = sample(source, «»", "sample(field, position)", "position"),
        ("let y = vec3(«»", "vec3(x: Float) -> Vec3", "x: Float"),
        ("let y = vec3(1.0, «»", "vec3(x: Float, y: Float, z: Float) -> Vec3", "y: Float"),
        ("let y = vec3(pixel.rg, «»", "vec3(xy: Vec2, z: Float) -> Vec3", "z: Float"),
        ("let y = select(true, «»", "select(condition: Bool, a: T, b: T) -> T", "a: T"),
        ("let y = index(«»", "index()", ""),
    ],
)
def test_the_form_and_the_argument(body: str, label: str, argument: str) -> None:
    assert active(body) == (label, argument)


def test_the_innermost_call_counts() -> None:
    assert active("let y = blend(max(1.0, «»), 1.0);") == ("max(a: Float, b: Float) -> Float", "b: Float")
    assert active("let y = blend(max(1.0, 2.0), «»);") == (BLEND, "high: Vec3")
    assert active("let y = blend([pixel, pixel][«»]") == (BLEND, "low: Vec3")
    assert active("let y = blend(if true { let z = 1; «»") is None


def test_no_help_outside_of_calls() -> None:
    assert active("let y = «»blend(pixel.rgb, 1.0);") is None
    assert active("let y = (1.0 + «»") is None
    assert active("let y = unknown(«»") is None
    assert active("// blend(«»") is None
    assert help_at("fn blend(«»a: Vec3) -> Vec3 { return a; }") is None


def test_documentation_comes_along() -> None:
    found = help_at(KERNEL.format(body="let y = blend(«»"))
    assert found is not None
    documentation = found.signatures[0].documentation
    assert isinstance(documentation, lsp.MarkupContent)
    assert documentation.value == "Mixes two colours."


def test_every_word_that_can_be_called_has_a_signature() -> None:
    for name in (*BY_NAME, *CONSTRUCTORS, *PLACE_WORDS, *PORT_WORDS):
        found = help_at(KERNEL.format(body=f"let y = {name}(«»"))
        assert found is not None, name
        assert all(signature.label.startswith(f"{name}(") for signature in found.signatures)


def test_functions_of_other_files() -> None:
    view, marks = marked_view(
        "use far;\nfn f() -> Int { return there(1, «»",
        {"/files/far.kernel": "fn there(a: Int, b: Int) -> Int { return a; }"},
    )
    found = signature_help(view, start_of(view, marks[0]))
    assert found is not None
    assert found.signatures[0].label == "there(a: Int, b: Int) -> Int"
    assert found.active_parameter == 1
