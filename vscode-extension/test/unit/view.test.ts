// Expected values by hand, or from the standard's formula.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { formatElement, formatNumber, formatSeconds, formatShape } from "../../src/view/format.ts";
import { encode, relevel, shade } from "../../src/view/pixels.ts";
import { tickStep, ticks } from "../../src/view/ticks.ts";
import { Viewport } from "../../src/view/viewport.ts";

suite("numbers as text", () => {
  test("numbers", () => {
    const expected: [number | string | null, string][] = [
      [0.1, "0.1"],
      [1 / 3, "0.333333"],
      [123456789, "123456789"],
      [-0, "-0"],
      [1.5e-9, "1.5e-9"],
      [12345678.9, "1.2346e+7"],
      [2 ** 31 - 1, "2147483647"],
      [9.921875e37, "9.9219e+37"],
      [NaN, "NaN"],
      ["-Infinity", "-Infinity"],
      [null, "–"],
    ];
    for (const [value, text] of expected) assert.equal(formatNumber(value as number), text);
  });

  test("seconds, shapes, elements", () => {
    assert.deepEqual([0.0000004, 0.0123, 2.5].map(formatSeconds), ["0 µs", "12.3 ms", "2.50 s"]);
    assert.deepEqual([formatShape([1]), formatShape([480, 640])], ["1 element", "640 × 480"]);
    assert.equal(formatElement([{ name: "x" }, { name: "y" }], [1, 0.5]), "x 1  y 0.5");
    assert.equal(formatElement([{ name: "", type: "Bool" }], [1]), "true");
    assert.equal(formatElement([{ name: "tag", type: "Int", variants: ["Dot", "Disc"] }], [1]), "tag Disc");
  });
});

suite("labels of an axis", () => {
  test("steps are 1, 2 or 5 times a power of ten, and no more than there is room for", () => {
    const steps = [
      [100, 10],
      [100, 9],
      [100, 4],
      [0.7, 5],
      [9.9e37, 5],
      [1e-40, 3],
    ].map(([span = 0, most = 0]) => tickStep(span, most));
    const expected = [10, 20, 50, 0.2, 2e37, 5e-41];
    for (const [i, step] of steps.entries()) assert.ok(Math.abs(step / (expected[i] ?? NaN) - 1) < 1e-9, String(step));
  });

  test("labels are the multiples of a step", () => {
    assert.deepEqual(ticks(-25, 20, 10), [-20, -10, 0, 10, 20]);
    assert.deepEqual(ticks(1, 9, 10), []);
  });
});

suite("numbers as pixels", () => {
  const grey = { low: 0, high: 2, channel: undefined, photo: false };

  test("a preview of 1 to 6 is shown with 2 as black and 3 as white", () => {
    // A level is 5 / 255: 0 is 1, 51 is 2, 76 is 2.490, 102 is 3, 255 is 6.
    const pixels = Uint8ClampedArray.from([0, 51, 76, 102, 255].flatMap((level) => [level, level, level, 255]));
    relevel(pixels, { low: 1, high: 6 }, { low: 2, high: 3 });
    assert.deepEqual(
      [...pixels],
      [0, 0, 125, 255, 255].flatMap((level) => [level, level, level, 255]),
    );
  });

  test("NaN is magenta in a preview of any range", () => {
    const pixels = Uint8ClampedArray.of(255, 0, 255, 255, 255, 255, 255, 255);
    relevel(pixels, { low: 1, high: 6 }, { low: 6, high: 7 });
    assert.deepEqual([...pixels], [255, 0, 255, 255, 0, 0, 0, 255]);
  });

  test("grey lies between both ends of the range, and NaN stands out", () => {
    const pixels = shade({ columns: 5, rows: 1, leaves: 1, values: Float32Array.of(-1, 0, 1, 3, NaN) }, grey);
    const rgba = Array.from({ length: 5 }, (_, i) => [...pixels.subarray(4 * i, 4 * i + 4)]);
    assert.deepEqual(rgba, [
      [0, 0, 0, 255],
      [0, 0, 0, 255],
      [128, 128, 128, 255],
      [255, 255, 255, 255],
      [255, 0, 255, 255],
    ]);
  });

  test("two numbers are red and green; one of them is grey", () => {
    const region = { columns: 1, rows: 1, leaves: 2, values: Float32Array.of(2, 1) };
    assert.deepEqual([...shade(region, grey)], [255, 128, 0, 255]);
    assert.deepEqual([...shade(region, { ...grey, channel: 1 })], [128, 128, 128, 255]);
  });

  test("photographs are encoded, and keep their opacity", () => {
    const region = { columns: 1, rows: 1, leaves: 4, values: Float32Array.of(0.5, 0, 1, 0.2) };
    assert.deepEqual([...shade(region, { low: 0, high: 1, channel: undefined, photo: true })], [188, 0, 255, 51]);
    // IEC 61966-2-1: both parts of the curve meet at 0.0031308.
    assert.ok(Math.abs(encode(0.0031308) - 0.0404499) < 1e-6);
  });
});

suite("the part of a picture in sight", () => {
  function viewport(): Viewport {
    const view = new Viewport();
    view.resize({ width: 100, height: 50 }, { width: 200, height: 200 });
    return view;
  }

  test("at first all of it, in the middle", () => {
    const view = viewport();
    assert.equal(view.scale, 2);
    assert.deepEqual(view.visible(), { x: 0, y: 0, width: 100, height: 50 });
    assert.deepEqual(view.toPicture(0, 50), [0, 0]);
  });

  test("zooming keeps what is under the pointer", () => {
    const view = viewport();
    const place = view.toPicture(120, 100);
    view.zoom(4, 120, 100);
    assert.deepEqual(view.toPicture(120, 100), place);
    assert.equal(view.visible().width, 25);
  });

  test("nothing outside comes into sight, and no zoom is less than all", () => {
    const view = viewport();
    view.zoom(4, 100, 100);
    view.pan(1e6, 1e6);
    assert.deepEqual([view.x, view.y], [0, 0]);
    view.zoom(1e-6, 0, 0);
    assert.equal(view.scale, 2);
  });

  test("a pixel can be brought into sight", () => {
    const view = viewport();
    view.zoom(8, 0, 50);
    view.reveal(99, 49);
    const { x, y, width, height } = view.visible();
    assert.ok(x <= 99 && 99 < x + width && y <= 49 && 49 < y + height);
  });
});
