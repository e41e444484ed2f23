"""The values of the command line."""

import contextlib
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.checker.bindings import FileValue, Generated
from kcheck.runtime.values.text import ValueSyntaxError, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-7", -7),
        ("+7", 7),
        ("0.25", 0.25),
        ("-1e3", -1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("true", True),
        ("false", False),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        (" [1, 2,3 ] ", [1, 2, 3]),
        ("[]", []),
        ("[1, 2,]", [1, 2]),
        ("[[0.5, 1], [2, 3]]", [[0.5, 1], [2, 3]]),
        ('{"x": 1, "y": [0, 0],}', {"x": 1, "y": [0, 0]}),
        ("{x: 1}", {"x": 1}),
        ("{}", {}),
        ('"Dot"', "Dot"),
        ("Dot", "Dot"),
        ('{"Disc": {"r": 1.0}}', {"Disc": {"r": 1.0}}),
        (r'"a\"b\n"', 'a"b\n'),
        ("zeros(1000)", Generated("zeros", (1000,))),
        ("zeros( (2, 3) )", Generated("zeros", (2, 3))),
        ("range(10)", Generated("range", (10,))),
        ("random((64, 64), seed=1)", Generated("random", (64, 64), 1)),
        ("random((1, 2, 3), seed=-1,)", Generated("random", (1, 2, 3), -1)),
        ("random(5)", Generated("random", (5,), 0)),
        ("photo.png", FileValue("photo.png")),
        ("voice.wav:0", FileValue("voice.wav:0")),
        ("01.png", FileValue("01.png")),
        ("some dir/a.bin:uint8", FileValue("some dir/a.bin:uint8")),
        ("./what.ever", FileValue("./what.ever")),
        ("photo(1).JPG", FileValue("photo(1).JPG")),
    ],
)
def test_values(text: str, value: Any) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


def test_nan() -> None:
    parsed = parse_value("NaN")
    assert isinstance(parsed, float)
    assert math.isnan(parsed)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("[1, 2", "expected a comma or ]"),
        ("[1 2]", "expected a comma or ]"),
        ("[,]", "expected a value, got `,`"),
        ("{1: 2}", "expected a field's name"),
        ('{"a" 2}', "a colon after `a`"),
        ('{"a": 1, "a": 2}', "twice"),
        ("1 2", "expected the end of the value"),
        ("'Dot'", "double quotes"),
        ("zeros()", "expected a whole number"),
        ("zeros(1.5)", "expected a whole number"),
        ("zeros(5", "expected )"),
        ("zeros(5, seed=1)", "expected )"),
        ("random(5, sed=1)", "expected seed=… or )"),
        ("random(5, seed=x)", "expected a whole number"),
        ("[" * 200, "at most 100 deep"),
        ("1" * 5000, "5000 digits"),
        (r'"\q"', "no text as JSON"),
        ("[1}", "expected a comma or ]"),
        ("[#]", "is no value"),
    ],
)
def test_syntax_errors(text: str, says: str) -> None:
    with pytest.raises(ValueSyntaxError) as info:
        parse_value(text)
    assert says in str(info.value)


@given(st.text() | st.text("[]{}(),:=\"'.-+eE0123456789 nullzerosrange", max_size=30))
def test_any_text_is_a_value_or_a_syntax_error(text: str) -> None:
    with contextlib.suppress(ValueSyntaxError):
        parse_value(text)


@given(
    st.recursive(
        st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_is_a_value(value: Any) -> None:
    text = json.dumps(value)
    assert parse_value(text) == (json.loads(text) if not isinstance(value, bool) else value)
