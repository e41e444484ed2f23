"""A tour of kcheck on a photograph, a sound and ten thousand stars: `make demo`.

Every number that is shown is held to NumPy or to a closed form before it is.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image

import kcheck

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "build" / "demo"
PHOTO = HERE / "data" / "cat.jpg"

RATE = 8_000
REC_709 = (0.2126, 0.7152, 0.0722)


def main() -> None:
    start = time.perf_counter()
    OUT.mkdir(parents=True, exist_ok=True)
    sharpen()
    meter()
    smooth()
    plot()
    refuse()
    print(f"\nAll of it in {time.perf_counter() - start:.1f} s; the files are in {OUT.relative_to(HERE.parent)}.")


def title(text: str) -> None:
    print(f"\n== {text}\n")


def command(*arguments: str | Path) -> int:
    """Run the command line as a user would, and show how."""
    words = [f"'{a}'" if any(c in str(a) for c in "[( ") else shown(a) for a in arguments]
    print(f"$ kcheck {' '.join(words)}", flush=True)
    return subprocess.run([sys.executable, "-m", "kcheck", *map(str, arguments)], check=False).returncode


def check(code: int) -> None:
    if code:
        raise SystemExit(code)


def shown(argument: str | Path) -> str:
    return str(argument).replace(f"{HERE.parent}/", "")


def expect(name: str, got: float, expected: float, tolerance: float = 1e-5) -> None:
    """Show a number, after holding it to one that was computed another way."""
    if abs(got - expected) > tolerance * max(1.0, abs(expected)):
        raise SystemExit(f"{name}: got {got}, expected {expected}")
    print(f"  {name:<34} {got:12.6f}   NumPy: {expected:12.6f}")


def pixels() -> np.ndarray:
    """The photograph as linear RGB in 0..1, decoded here without kcheck."""
    encoded = np.asarray(Image.open(PHOTO).convert("RGB")) / 255.0
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def sharpen() -> None:
    title("A map: a photograph, sharpened; and its edges, in a file")
    kernel, source = HERE / "photo.kernel", f"source={PHOTO}"
    check(command("run", kernel, "--kernel", "photo.sharpen@1", "-i", source, "-p", "amount=1.5"))
    written = f"result={OUT / 'cat-edges.png'}"
    check(command("run", kernel, "--kernel", "photo.edges@1", "-i", source, "--domain", "240x160", "-o", written))


def meter() -> None:
    title("A reduction: what a light meter says")
    tones = kcheck.load(HERE / "photo.kernel")["photo.tones"](source=PHOTO).result[0]
    luma = pixels() @ np.array(REC_709)
    expect("pixels", int(tones["pixels"]), luma.size)
    expect("mean luma", float(tones["total"]) / int(tones["pixels"]), float(luma.mean()))
    expect("darkest", float(tones["darkest"]), float(luma.min()))
    expect("brightest", float(tones["brightest"]), float(luma.max()))


def smooth() -> None:
    title("A scan: take the hiss out of a tone")
    keep = 0.9
    times = np.arange(RATE) / RATE
    low, high = (np.sin(2 * np.pi * hertz * times).astype(np.float32) for hertz in (100.0, 3_000.0))
    smoother = kcheck.load(HERE / "sound.kernel")["sound.smooth"]
    for hertz, tone in ((100.0, low), (3_000.0, high)):
        filtered = smoother(sound=tone, keep=keep).result
        settled = filtered[RATE // 2 :].astype(np.float64)
        gain = np.sqrt(2.0 * np.mean(settled**2))
        expect(f"gain at {hertz:.0f} Hz", float(gain), response(keep, hertz), tolerance=1e-3)
    np.save(OUT / "tone.npy", low + 0.5 * high)
    sound, written = f"sound={OUT / 'tone.npy'}", f"result={OUT / 'tone.wav'}"
    kernel = HERE / "sound.kernel"
    check(command("run", kernel, "--kernel", "sound.smooth@1", "-i", sound, "-p", f"keep={keep}", "-o", written))


def response(keep: float, hertz: float) -> float:
    """How much of a tone the one-pole filter lets pass, in closed form."""
    return float((1.0 - keep) / abs(1.0 - keep * np.exp(-2j * np.pi * hertz / RATE)))


def plot() -> None:
    title("A scatter: ten thousand stars")
    module = kcheck.load(HERE / "stars.kernel")
    stars = module["stars.make"](domain=10_000).fields["stars"]
    sky = module["stars.plot"](stars=stars, sky=np.zeros((120, 160, 3), np.float32)).result
    expect("light on the sky", float(sky.sum(dtype=np.float64)), float(stars.data["color"].sum(dtype=np.float64)))
    Image.fromarray((255 * np.clip(sky, 0, 1) ** (1 / 2.2)).astype(np.uint8)).save(OUT / "stars.png")


def refuse() -> None:
    title("What does not fit is refused, and says why")
    command("run", HERE / "lists.kernel", "--kernel", "lists.rank@1", "-i", "keep=[true, 1]")
    source = f"source={PHOTO}"
    command("run", HERE / "photo.kernel", "--kernel", "photo.sharpen@1", "-i", source, "-p", "amount=9")


if __name__ == "__main__":
    main()
