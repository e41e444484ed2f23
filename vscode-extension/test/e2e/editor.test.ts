// The whole path in a real workbench: the packed extension, the real server, a real browser.
import assert from "node:assert/strict";
import { after, afterEach, before, suite, test, type TestContext } from "node:test";
import type { Frame, Page } from "playwright-core";
import { pictures, ran, squiggles } from "./waiting.ts";
import { appears, Workbench } from "./workbench.ts";

const SECOND = 1000;

suite("in the workbench", { timeout: 600 * SECOND }, () => {
  let bench: Workbench;
  let page: Page;

  before(async () => {
    bench = await Workbench.start();
    page = bench.page;
  });

  afterEach(async (context) => {
    if (!(context as TestContext & { passed: boolean }).passed) await bench.screenshot(`failed, ${context.name}`);
  });

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
    await bench.until("the menu of fixes", async () => {
      await page.keyboard.press("Control+.");
      return await appears(fix);
    });
    await fix.click();
    await squiggles(page, 0);
    assert.match(await bench.text(), /let n: Float = float\(sample\(numbers\)\);/);
  });

  test("a lens runs a kernel, and the picture has the right pixels", async () => {
    await bench.open("picture.kernel");
    await bench.lens("run").click();
    const view = await bench.view("canvas.picture");
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
    await view.locator("canvas.picture").focus();
    await view.locator("canvas.picture").press("ArrowRight");
    await view.locator(".readout", { hasText: "(1, 0)" }).waitFor();
    // 1.5 / 64 and 0.5 / 64
    assert.match(await view.locator(".readout").innerText(), /x 0\.0234375\s+y 0\.0078125\s+z 0\s+w 1/);
  });

  test("one channel can be shown, and a range of it", async () => {
    const view = await bench.view("canvas.picture");
    await view.getByLabel("channel").selectOption({ index: 2 }); // y
    await view.getByLabel("from", { exact: true }).fill("0.5");
    await view.getByLabel("from", { exact: true }).press("Enter");
    // From 0.5 to the largest y, 63.5 / 64: the row 40 has 40.5 / 64.
    const expected = Math.round((255 * (40.5 / 64 - 0.5)) / (63.5 / 64 - 0.5));
    await pixelBecomes(view, 0.1, 40.5 / 64, [expected, expected, expected]);
    await view.getByText("Reset range").click();
    await pixelBecomes(view, 63.5 / 64, 0.5 / 64, [srgb(63.5 / 64), srgb(0.5 / 64), 0]);
  });

  test("a slider runs the kernel again", async () => {
    const view = await bench.view("canvas.picture");
    await view.locator('input[data-param="blue"]').press("End");
    await pixelBecomes(view, 0.5 / 64, 0.5 / 64, [srgb(0.5 / 64), srgb(0.5 / 64), 255]);
    await view.locator(".difference", { hasText: "4096 elements differ" }).waitFor();
  });

  test("backends are compared", async () => {
    const view = await bench.view(".facts");
    await view.getByText("Compare Backends").click();
    await view.locator(".good", { hasText: "the same bits" }).waitFor();
  });

  test("what becomes of a kernel is shown, and follows the source", async () => {
    await bench.place("blue, 1.0");
    await bench.command("kcheck: Show WGSL");
    await page.locator(".view-line", { hasText: "// picture.ramp@1" }).first().waitFor();
    await bench.command("kcheck: Show IR");
    await page.locator(".view-line", { hasText: "program picture.ramp@1" }).first().waitFor();
    await bench.screenshot("ir");
    await bench.place("blue, 1.0");
    await page.keyboard.type("0.125 + ");
    await page.locator(".view-line", { hasText: "0.125 + param.blue" }).first().waitFor();
    await page.keyboard.press("Control+Z");
  });

  test("laws are counted, marked and refuted with a witness", async () => {
    await bench.open("laws.kernel");
    await bench.status().filter({ hasText: "3 proved, 1 refuted" }).waitFor();
    await page.locator(".editor-group-container.active .cgmr").nth(1).waitFor();
    await bench.lens("not commutative").click();
    const view = await bench.view(".tree");
    assert.equal(await view.locator(".tree").count(), 2);
    assert.match(await view.locator("h1").innerText(), /stats\.best@1: merge is not commutative/);
    const [left, right] = await view.locator(".tree > ul > li > .fields .differs").allInnerTexts();
    assert.match(left ?? "", /^place: /);
    assert.match(right ?? "", /^place: /);
    assert.notEqual(left, right);
    await bench.screenshot("witness");
  });

  test("an example says whether it came out as expected", async () => {
    await bench.lens("run three").click();
    const view = await bench.view(".expectations, p.good");
    await view.locator("p.good", { hasText: "result is what the example expects" }).waitFor();
  });

  test("a name is changed in all files", async () => {
    await bench.open("curves.kernel");
    await bench.place("shoulder");
    await page.keyboard.press("F2");
    await page.locator(".rename-box input").fill("soft_shoulder");
    await page.keyboard.press("Enter");
    await bench.shows("fn soft_shoulder(light: Float)");
    await bench.open("film.kernel");
    await bench.shows("compute { soft_shoulder(sample(source)) + soft_shoulder(0.0) }");
    await squiggles(page, 0);
  });

  test("the server is started again when it was killed", async () => {
    const [before] = bench.servers();
    assert.ok(before);
    process.kill(before, "SIGKILL");
    await bench.until("another server", () => bench.servers().some((pid) => pid !== before));
    await page.keyboard.press("Control+End");
    await page.keyboard.type("oops");
    await page.locator(".squiggly-error").first().waitFor();
    await page.keyboard.press("Control+Z");
    await squiggles(page, 0);
  });

  test("a server that crashes again and again is left alone until it is asked for", async () => {
    for (let crash = 2; crash <= 5; crash++) {
      await bench.until("a server", () => bench.servers().length > 0, 30 * SECOND);
      const [pid] = bench.servers();
      process.kill(pid ?? 0, "SIGKILL");
      await bench.until("its end", () => !bench.servers().includes(pid ?? 0));
    }
    const message = page.locator(".notification-toast", { hasText: "five times in three minutes" });
    await message.waitFor();
    await bench.status().filter({ hasText: "stopped" }).waitFor();
    assert.deepEqual(bench.servers(), []);
    await message.getByRole("button", { name: "Restart Server" }).click();
    await bench.until("a server", () => bench.servers().length === 1);
    await bench
      .status()
      .filter({ hasNotText: /stopped|starting/ })
      .waitFor();
  });
});

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

async function pixelBecomes(view: Frame, x: number, y: number, rgb: number[]): Promise<void> {
  let found: number[] = [];
  for (let tries = 0; tries < 100; tries++) {
    found = await pixel(view, x, y);
    if (rgb.every((value, i) => Math.abs((found[i] ?? NaN) - value) <= 1)) return;
    await view.waitForTimeout(100);
  }
  assert.fail(`the pixel is ${found.join()}, not ${rgb.join()}`);
}
