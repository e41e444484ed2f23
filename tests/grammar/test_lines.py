"""Characters, lines, UTF-16 columns and bytes."""

import pytest

from kcheck.grammar.spans import LineIndex, Position, Span, utf16_length

TEXT = "a🚀b\r\né\n\nlast"


def test_lines() -> None:
    lines = LineIndex(TEXT)
    assert [lines.line_text(line) for line in range(4)] == ["a🚀b", "é", "", "last"]
    assert [lines.line(offset) for offset in (0, 4, 5, 6, 7, 8, 11)] == [0, 0, 1, 1, 2, 3, 3]
    assert lines.line_start(3) == TEXT.index("last")


@pytest.mark.parametrize("offset", range(len(TEXT) + 1))
def test_positions_and_back(offset: int) -> None:
    lines = LineIndex(TEXT)
    position = lines.position(offset)
    assert position.character == len(TEXT[lines.line_start(position.line) : offset].encode("utf-16-le")) // 2
    if TEXT[offset - 1 : offset] != "\r":
        assert lines.offset(position) == offset
    assert lines.byte_offset(offset) == len(TEXT[:offset].encode())


def test_positions_outside_are_taken_to_the_nearest() -> None:
    lines = LineIndex(TEXT)
    assert lines.offset(Position(0, 99)) == 3
    assert lines.offset(Position(99, 99)) == len(TEXT)
    assert lines.position(99) == lines.position(len(TEXT))


def test_spans() -> None:
    assert Span(2, 3).shifted(4) == Span(6, 7)
    assert Span(2, 3).to(Span(0, 1)) == Span(0, 3)
    assert utf16_length("a🚀") == 3
