"""The pictures of docs/gallery.md are what the examples give today."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scripts.gallery import FOLDER, PICTURES

PAGE = FOLDER.parent / "gallery.md"


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str) -> None:
    drawn = np.asarray(PICTURES[name](), np.int64)
    kept = np.asarray(Image.open(FOLDER / f"{name}.png"), np.int64)
    assert kept.shape == drawn.shape
    # A curve may be drawn a pixel beside where another release of Pillow draws it.
    assert np.mean(np.abs(kept - drawn) > 1) < 0.005


def test_every_picture_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in PICTURES if f"(gallery/{name}.png)" not in text] == []
    assert {path.stem for path in Path(FOLDER).iterdir()} == set(PICTURES)
