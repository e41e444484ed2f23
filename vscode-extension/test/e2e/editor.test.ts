// The whole path in a real workbench: the packed extension, the real server, a real browser.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Frame, Locator, Page } from "playwright-core";
import { keepFailures, pictures, ran, squiggles } from "./waiting.ts";
import { Workbench } from "./workbench.ts";

const SECOND = 1000;

suite("in the workbench", { timeout: 1800 * SECOND }, () => {
  let bench: Workbench;
  let page: Page;

  before(async () => {
    bench = await Workbench.start();
    page = bench.page;
  });

  keepFailures(() => bench);

  after(async () => {
    await bench.close();
  });

  test("an error is underlined", async () => {
    await bench.open("broken.kernel");
    await page.locator(".squiggly-error").first().waitFor();
    await bench.screenshot("squiggle");
  });

  test("a quick fix mends it", async () => {
    await bench.place("sample(numbers)");
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: "float(" }).first();
    await bench.again(
      "the quick fix",
      async () => {
        await page.keyboard.press("Control+.");
        await fix.click();
      },
      async () => (await bench.text()).includes("float("),
    );
    await squiggles(page, 0);
    assert.match(await bench.text(), /let n: Float = float\(sample\(numbers\)\);/);
  });

  test("a lens runs a kernel, and the picture has the right pixels", async () => {
    await bench.open("picture.kernel");
    const view = await bench.clickLens("run", "canvas.picture");
    await ran(view);
    await pictures(view, 1);
    for (const [x, y] of [
      [0, 0],
      [63, 0],
      [0, 63],
      [20, 40],
      [63, 63],
    ] as const) {
      const expected = [srgb((x + 0.5) / 64), srgb((y + 0.5) / 64), 0, 255];
      const found = await pixel(view, (x + 0.5) / 64, (y + 0.5) / 64);
      const apart = expected.map((value, i) => Math.abs((found[i] ?? NaN) - value));
      assert.ok(Math.max(...apart) <= 1, `pixel ${x}, ${y}: ${found.join()} is not ${expected.join()}`);
    }
    await bench.screenshot("picture");
  });

  test("the value under the cursor can be read with the keyboard", async () => {
    const view = await bench.view("canvas.picture");
    await bench.again(
      "the value at (1, 0)",
      async () => {
        // Ten pixels to the left of wherever it is, so that pressing them again does no harm.
        await view.locator("canvas.picture").press("Shift+ArrowLeft");
        await view.locator("canvas.picture").press("ArrowRight");
      },
      view.locator(".readout", { hasText: "(1, 0)" }),
    );
    // 1.5 / 64 and 0.5 / 64
    assert.match(await view.locator(".readout").innerText(), /x 0\.0234375\s+y 0\.0078125\s+z 0\s+w 1/);
  });

  test("one channel can be shown, and a range of it", async () => {
    const view = await bench.view("canvas.picture");
    // From 0.5 to the largest y, 63.5 / 64: the row 40 has 40.5 / 64.
    const expected = Math.round((255 * (40.5 / 64 - 0.5)) / (63.5 / 64 - 0.5));
    await bench.again(
      "the channel y from 0.5 on",
      async () => {
        await view.getByLabel("channel").selectOption({ index: 2 }); // y
        await view.getByLabel("from", { exact: true }).fill("0.5");
        await view.getByLabel("from", { exact: true }).press("Enter");
      },
      pixelIs(view, 0.1, 40.5 / 64, [expected, expected, expected]),
    );
    await bench.again(
      "the whole picture",
      () => view.getByText("Reset range").click(),
      pixelIs(view, 63.5 / 64, 0.5 / 64, [srgb(63.5 / 64), srgb(0.5 / 64), 0]),
    );
  });

  test("a slider runs the kernel again", async () => {
    const view = await bench.view("canvas.picture");
    await bench.again(
      "a blue picture",
      () => view.locator('input[data-param="blue"]').press("End"),
      pixelIs(view, 0.5 / 64, 0.5 / 64, [srgb(0.5 / 64), srgb(0.5 / 64), 255]),
    );
    await view.locator(".difference", { hasText: "4096 elements differ" }).waitFor();
  });

  test("backends are compared", async () => {
    const view = await bench.view(".facts");
    await bench.again(
      "the comparison",
      () => view.getByText("Compare Backends").click(),
      view.locator(".good", { hasText: "the same bits" }),
    );
    // The picture of the last run is still there: blue at its end, as it was set before.
    await bench.until("the picture", pixelIs(view, 0.5 / 64, 0.5 / 64, [srgb(0.5 / 64), srgb(0.5 / 64), 255]));
  });

  test("a part of structs is seen while a slider is dragged, and after it", async () => {
    await bench.open("relief.kernel");
    const view = await bench.clickLens("run", 'input[data-param="tilt"]');
    await ran(view);
    // From the least height, 0.25 / 64, to the largest, 31.75 / 64: pixel (20, 40) of a plane that is not tilted.
    const grey = (height: number): number => Math.round((255 * (height - 0.25 / 64)) / (31.5 / 64));
    const flat = grey((0.5 * 20.5) / 64);
    await bench.until("the plane", pixelIs(view, 20.5 / 64, 40.5 / 64, [flat, flat, flat]));
    const tilted = grey((0.5 * (20.5 + 0.5 * 40.5)) / 64);
    const slider = view.locator('input[data-param="tilt"]');
    const drag = (event: string): Promise<void> =>
      slider.evaluate((input: HTMLInputElement, event) => {
        input.valueAsNumber = 0.5;
        input.dispatchEvent(new Event(event));
      }, event);
    const seen = (apart: number) => pixelIs(view, 20.5 / 64, 40.5 / 64, [tilted, tilted, tilted], apart);
    await bench.again("the tilted plane", () => drag("input"), seen(2)); // a preview has 256 levels of its own
    await bench.again("its values", () => drag("change"), seen(1));
    await view.locator(".difference", { hasText: "4096 elements differ" }).waitFor();
  });

  test("variants and Bools are read by their names", async () => {
    await bench.open("kinds.kernel");
    const view = await bench.clickLens("run two", 'section[aria-label="output result"] td:has-text("Disc")');
    const rows = view.locator("section.output tr");
    assert.deepEqual((await rows.allInnerTexts()).map(words), [
      ["index", "shape.tag", "shape.Disc.r", "on", "pair[0]", "pair[1]"],
      ["0", "Dot", "0", "true", "1", "-2"],
      ["1", "Disc", "1.5", "false", "3", "4"],
    ]);
  });

  test("what is no number is seen in a picture", async () => {
    await bench.open("kinds.kernel");
    const view = await bench.clickLens("run square", 'h1:has-text("kinds.holes@1")');
    const grey = Math.round((255 * 20) / 63); // from 0.5 / 64 to 63.5 / 64
    await bench.until("magenta", pixelIs(view, 10.5 / 64, 20.5 / 64, [255, 0, 255]));
    await bench.until("grey", pixelIs(view, 50.5 / 64, 20.5 / 64, [grey, grey, grey]));
    const drag = (event: string): Promise<void> =>
      view.locator('input[data-param="edge"]').evaluate((input: HTMLInputElement, event) => {
        input.valueAsNumber = 0.75;
        input.dispatchEvent(new Event(event));
      }, event);
    const wider = pixelIs(view, 40.5 / 64, 20.5 / 64, [255, 0, 255]);
    await bench.again("more magenta while the slider is dragged", () => drag("input"), wider);
    await drag("change");
    const told = view.locator(".difference", { hasText: "1024 elements differ from the run before." });
    await told.waitFor();
    assert.ok(await wider());
  });

  test("a small grid is a table as it lies, and outputs and params have their order", async () => {
    await bench.open("kinds.kernel");
    await bench.place("example few");
    const view = await bench.clickLens("run few", 'h1:has-text("kinds.checks@1")');
    await ran(view);
    const rows = (name: string): Promise<string[]> =>
      view.locator(`section[aria-label="output ${name}"] tr`).allInnerTexts();
    await bench.until("both tables", async () => (await view.locator("section.output tr").count()) === 6);
    assert.deepEqual((await rows("slope")).map(words), [
      ["y", "\\", "x", "0", "1", "2"],
      ["0", "0", "1", "2"],
      ["1", "10", "11", "12"],
    ]);
    assert.deepEqual((await rows("checks")).slice(1).map(words), [
      ["0", "false", "true", "false"],
      ["1", "true", "false", "true"],
    ]);
    assert.deepEqual(
      await view
        .locator("h2")
        .allInnerTexts()
        .then((titles) => titles.map((title) => words(title)[0])),
      ["slope", "checks"],
    );
    const sliders = view.locator("input[data-param]");
    assert.deepEqual(await sliders.evaluateAll((all) => all.map((one) => one.getAttribute("data-param"))), [
      "steep",
      "far",
    ]);
  });

  test("a plot is read with the keyboard, and takes the colours of another theme", async () => {
    await bench.open("kinds.kernel");
    await bench.place("example hundred"); // brings its lens into sight
    const view = await bench.clickLens("run hundred", ".plot canvas");
    await bench.again(
      "the value of element 3",
      async () => {
        await view.locator(".plot").press("Shift+ArrowLeft"); // to the first one
        for (let step = 0; step < 3; step++) await view.locator(".plot").press("ArrowRight");
      },
      view.locator(".readout", { hasText: /^\(3\)\s+3e\+36$/ }),
    );
    assert.ok((await brightestLabel(view)) < 128);
    await bench.command("Preferences: Toggle between Light/Dark Themes", view.locator("body.vscode-dark"));
    await bench.until("bright labels", async () => (await brightestLabel(view)) > 128);
    await bench.screenshot("dark");
    await bench.command("Preferences: Toggle between Light/Dark Themes", view.locator("body.vscode-light"));
  });

  test("what becomes of a kernel is shown, and follows the source", async () => {
    await bench.open("picture.kernel");
    await bench.place("blue, 1.0");
    const line = (text: string): Locator => page.locator(".view-line", { hasText: text });
    await bench.command("kcheck: Show WGSL", line("// picture.ramp@1"));
    await bench.place("blue, 1.0");
    await bench.command("kcheck: Show IR", line("program picture.ramp@1"));
    await bench.screenshot("ir");
    await bench.place("blue, 1.0");
    await bench.write("0.125+");
    await line("0.125 + param.blue").first().waitFor();
    await bench.undo("0.125+");
  });

  test("laws are counted, marked and refuted with a witness", async () => {
    await bench.open("laws.kernel");
    await bench.status().filter({ hasText: "3 proved, 1 refuted" }).waitFor();
    await page.locator(".editor-group-container.active .cgmr").nth(1).waitFor();
    const hover = page.locator(".monaco-hover:visible", { hasText: /commutative: refuted/ });
    await bench.place("stats.best@1");
    await bench.command("Show or Focus Hover", hover);
    await page.keyboard.press("Escape");
    const view = await bench.clickLens("not commutative", ".tree");
    assert.equal(await view.locator(".tree").count(), 2);
    assert.match(await view.locator("h1").innerText(), /stats\.best@1: merge is not commutative/);
    const [left, right] = await view.locator(".tree > ul > li > .fields .differs").allInnerTexts();
    assert.match(left ?? "", /^place: /);
    assert.match(right ?? "", /^place: /);
    assert.notEqual(left, right);
    await bench.screenshot("witness");
  });

  test("an example says whether it came out as expected", async () => {
    await bench.clickLens("run three", 'p.good:has-text("result is what the example expects")');
  });

  test("a law that is not decided comes with what is in its way", async () => {
    await bench.open("parallel.kernel");
    await bench.status().filter({ hasText: "2 unknown" }).locator(".codicon-question").waitFor();
    await bench.place("merge(a, b)");
    await bench.command("kcheck: Show Proof / Witness", page.locator(".tab.active", { hasText: "kcheck Witness" }));
    const view = await bench.view('h1:has-text("circuit.parallel@1: the laws of its merge")');
    const laws = await view.locator("p.warning").allInnerTexts();
    assert.equal(laws.length, 2);
    for (const law of laws) assert.match(law, /unknown.*: undefined step/);
    assert.match(
      await view.locator("pre").innerText(),
      /^this division may be by zero, .*\n.*resistors = \[0\.0, 0\.0\]/,
    );
  });

  test("a name is changed in all files", async () => {
    await bench.open("curves.kernel");
    await bench.place("shoulder");
    await bench.again(
      "the new name",
      async () => {
        await page.keyboard.press("F2");
        await page.locator(".rename-box input").fill("soft_shoulder");
        await page.locator(".rename-box input").press("Enter");
      },
      async () => (await bench.text()).includes("fn soft_shoulder(light: Float)"),
    );
    await bench.open("film.kernel");
    await bench.shows("compute { soft_shoulder(sample(source)) + soft_shoulder("); // behind it may be a hint
    await squiggles(page, 0);
  });

  test("the server is started again when it was killed", async () => {
    const [before] = bench.servers();
    assert.ok(before);
    process.kill(before, "SIGKILL");
    await bench.until("another server", () => bench.servers().some((pid) => pid !== before));
    await bench.place("/// A picture");
    await bench.write("oops");
    await page.locator(".squiggly-error").first().waitFor();
    await bench.undo("oops");
    await squiggles(page, 0);
  });

  test("a server that crashes again and again is left alone until it is asked for", async () => {
    await bench.open("kinds.kernel");
    await bench.place("example square");
    const view = await bench.clickLens("run square", 'input[data-param="edge"]');
    await ran(view);
    for (let crash = 2; crash <= 5; crash++) {
      await bench.until("a server", () => bench.servers().length > 0);
      const [pid] = bench.servers();
      process.kill(pid ?? 0, "SIGKILL");
      await bench.until("its end", () => !bench.servers().includes(pid ?? 0));
    }
    const message = page.locator(".notification-toast", { hasText: "five times in three minutes" });
    await message.waitFor();
    await bench.status().filter({ hasText: "stopped" }).waitFor();
    assert.deepEqual(bench.servers(), []);
    await view.locator('input[data-param="edge"]').evaluate((input) => {
      for (let step = 0; step < 3; step++) input.dispatchEvent(new Event("input"));
    });
    const told = view.locator("p.error", { hasText: "the kcheck server is not running" });
    await bench.until("what is wrong", async () => (await told.count()) > 0);
    await view.waitForTimeout(SECOND);
    assert.equal(await told.count(), 1);
    await bench.again(
      "a server",
      () => message.getByRole("button", { name: "Restart Server" }).click(),
      () => Promise.resolve(bench.servers().length === 1),
    );
    await bench
      .status()
      .filter({ hasNotText: /stopped|starting/ })
      .waitFor();
  });
});

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** How bright the labels of a plot's upward axis are, of 255. */
function brightestLabel(view: Frame): Promise<number> {
  return view.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".plot canvas");
    const pixels = canvas?.getContext("2d")?.getImageData(0, 0, 60 * devicePixelRatio, canvas.height).data ?? [];
    let brightest = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if ((pixels[at + 3] ?? 0) > 200) brightest = Math.max(brightest, pixels[at] ?? 0);
    }
    return brightest;
  });
}

/** The transfer function of sRGB, as 8 bits. */
function srgb(light: number): number {
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
}

/** RGBA of a canvas's pixel; the place is a part of its width and height. */
function pixel(view: Frame, x: number, y: number): Promise<number[]> {
  return view.evaluate(
    ([x, y]) => {
      const canvas = document.querySelector<HTMLCanvasElement>("canvas.picture");
      const context = canvas?.getContext("2d");
      if (!canvas || !context) return [];
      return [...context.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data];
    },
    [x, y] as const,
  );
}

/** Whether a pixel has a colour, to one of 256 levels or a few. */
function pixelIs(view: Frame, x: number, y: number, rgb: number[], apart = 1): () => Promise<boolean> {
  return async () => {
    const found = await pixel(view, x, y);
    return rgb.every((value, i) => Math.abs((found[i] ?? NaN) - value) <= apart);
  };
}
