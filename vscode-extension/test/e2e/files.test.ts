// What reads and writes files, and what asks for something.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Frame, Locator } from "playwright-core";
import { keepFailures, ran, squiggles } from "./waiting.ts";
import { gone, KCHECK, Workbench } from "./workbench.ts";

const SECOND = 1000;

suite("files and questions", { timeout: 1800 * SECOND }, () => {
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.start({
      settings: {
        "files.autoSave": "off",
        "files.refactoring.autoSave": false,
        "files.readonlyInclude": { "**/broken.kernel": true, "**/film.kernel": true },
      },
    });
  });

  keepFailures(() => bench);

  after(async () => {
    await bench.close();
  });

  /** The box that asks for something, once it asks for this. */
  const question = (text: string): Locator => bench.page.locator(".quick-input-widget", { hasText: text });

  /** Answers a question of one line. */
  const answer = async (asked: string, text: string): Promise<void> => {
    await question(asked).waitFor();
    await bench.again(
      `the answer to ${asked}`,
      async () => {
        await question(asked).locator("input").first().fill(text);
        await question(asked).locator("input").first().press("Enter");
      },
      gone(question(asked)),
    );
  };

  test("a run asks for the values that it needs", async () => {
    await bench.open("inputs.kernel");
    await bench.again("the question", () => bench.lens("run").click(), question("values (1 of 2)"));
    assert.match(await question("values (1 of 2)").innerText(), /input numbers: Rows<Int>/);
    await answer("values (1 of 2)", "[1, 2, 3]");
    await answer("values (2 of 2)", "-7");
    const view = await bench.view("table");
    await ran(view);
    const cells = await view.locator("tbody td:nth-child(2)").allInnerTexts();
    assert.deepEqual(cells, ["-7", "-14", "-21"]);
  });

  test("values that do not fit are told of, and asked for again", async () => {
    await bench.open("inputs.kernel");
    await bench.command("kcheck: Run Kernel with Values", question("values (1 of 2)"));
    await answer("values (1 of 2)", "[0.5]");
    await answer("values (2 of 2)", "1");
    const view = await bench.view("p.error");
    assert.match(await view.locator("p.error").innerText(), /K7\d\d: .*numbers/);
  });

  const save = async (view: Frame, output: string, format: "PNG" | "CSV" | "NPY"): Promise<string> => {
    const file = join(bench.workspace, `saved.${format.toLowerCase()}`);
    const box = bench.page.locator(".quick-input-widget input").first();
    await bench.again(
      file,
      async () => {
        await view.getByLabel(`Save ${output} as ${format}`).click();
        await bench.page.waitForTimeout(SECOND); // it writes a name of its own into the box
        await box.fill(file);
        await bench.page.waitForTimeout(SECOND);
        if ((await box.inputValue()) !== file) return;
        await bench.page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
      },
      () => Promise.resolve(existsSync(file)),
    );
    let size = -1; // it is whole once it does not grow
    await bench.until(`the end of ${file}`, async () => {
      const before = size;
      await bench.page.waitForTimeout(SECOND);
      size = statSync(file).size;
      return size > 0 && size === before;
    });
    return file;
  };

  test("a picture is saved as PNG, CSV and NPY", async () => {
    await bench.open("picture.kernel");
    const view = await bench.clickLens("run", "canvas.picture");
    await ran(view);
    const seen = python(
      `
import csv, json, sys
import numpy as np
from PIL import Image
y, x = np.mgrid[0:64, 0:64]
light = np.stack([(x + 0.5) / 64, (y + 0.5) / 64, 0 * x, 0 * x + 1], axis=-1)
encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
encoded[..., 3] = 1
png = np.asarray(Image.open(sys.argv[1]).convert("RGBA"), int)
head, *rows = csv.reader(open(sys.argv[2]))
table = np.array(rows, float)
print(json.dumps({
    "png": float(abs(png - 255 * encoded).max()),
    "head": head,
    "places": bool((table[:, :2] == np.stack([x, y], axis=-1).reshape(-1, 2)).all()),
    "csv": float(abs(table[:, 2:] - light.reshape(-1, 4)).max()),
    "npy": float(abs(np.load(sys.argv[3]) - light).max()),
}))`,
      await save(view, "result", "PNG"),
      await save(view, "result", "CSV"),
      await save(view, "result", "NPY"),
    ) as Record<string, number>;
    assert.ok((seen.png ?? NaN) <= 1, `${seen.png} levels apart`);
    assert.deepEqual(
      { ...seen, png: 0 },
      { png: 0, head: ["x", "y", "value.x", "value.y", "value.z", "value.w"], places: true, csv: 0, npy: 0 },
    );
  });

  test("a read-only file keeps its text, and the editor says why", async () => {
    const { page } = bench;
    const file = join(bench.workspace, "broken.kernel");
    const before = readFileSync(file, "utf8");
    await bench.open("broken.kernel");
    await squiggles(page, 1);
    await bench.place("sample(numbers)");
    const shown = await bench.text();
    const hover = page.locator(".monaco-hover:visible", { hasText: "expected a Float, found an Int" });
    await bench.again("the finding", () => page.locator(".squiggly-error").first().hover({ force: true }), hover);
    assert.doesNotMatch(await hover.innerText(), /Quick Fix/); // none that could not be made is offered
    await bench.place("sample(numbers)");
    await page.keyboard.press("Control+.");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+I"); // nor does the formatter change anything
    const told = page.locator(".monaco-editor-overlaymessage", { hasText: "Editor is read-only" });
    await bench.again("why it is read-only", () => page.keyboard.press("x"), told);
    assert.equal(await bench.text(), shown);
    assert.equal(readFileSync(file, "utf8"), before);
  });

  test("the doctor says what there is", async () => {
    const { page } = bench;
    await bench.command("kcheck: Doctor", page.locator('.tab.active[data-resource-name="doctor"]'));
    const [, version = ""] = execFileSync(KCHECK, ["--version"], { encoding: "utf8" }).trim().split(" ");
    await bench.shows(version);
    for (const backend of ["interpreter", "jit", "gpu"]) await bench.shows(`backend ${backend}`);
  });

  test("a new package is made, opened, and has no errors", async () => {
    const { page } = bench;
    await bench.command("kcheck: New Package", question("The folder that the package goes into"));
    const folder = question("The folder that the package goes into");
    await bench.again(
      "the folder",
      async () => {
        await folder.locator("input").first().fill(`${bench.workspace}/`);
        await folder.getByRole("button", { name: "Choose" }).click();
      },
      question("The package's name"),
    );
    await answer("The package's name", "circles");
    const made = page.locator('.tab.active[data-resource-name$=".kernel"]', { hasText: "circles" });
    await made.waitFor();
    assert.match(execFileSync(KCHECK, ["check", join(bench.workspace, "circles")], { encoding: "utf8" }), /./);
  });

  test("the test explorer runs examples, and says what differs", async () => {
    const { page } = bench;
    await bench.open("sums.kernel");
    const rows = page.locator(".test-explorer .monaco-list-row");
    await bench.command("Testing: Focus on Test Explorer View", rows.filter({ hasText: "sums.kernel" }));
    const state = page.locator('.test-explorer .monaco-list-row[aria-label*="sums.kernel (Failed"]');
    await bench.command("Test: Run Tests in Current File", state);
    await page.locator(".test-explorer .result-summary", { hasText: "1/2" }).waitFor();
    await page.locator(".monaco-list-row", { hasText: "wrong" }).filter({ hasText: "`result[1]`" }).first().waitFor();
    await bench.screenshot("tests");
  });

  test("a task checks all files, and what it finds is listed until the next one", async () => {
    const { page } = bench;
    const file = join(bench.workspace, "later.kernel"); // which no editor opens
    const row = page.locator(".quick-input-list .monaco-list-row");
    const task = row.filter({ hasText: "kcheck: check" });
    const findings = page.locator(".markers-panel .monaco-list-row");
    const found = findings.filter({ hasText: "there is no value `y` here" });
    await bench.open("picture.kernel");
    await bench.command("Problems: Focus on Problems View", page.locator(".markers-panel"));
    assert.equal(await found.count(), 0);
    writeFileSync(file, "fn half(x: Float) -> Float {\n  return y * 0.5;\n}\n");
    const kind = row.filter({ hasText: "kcheck" }).first();
    await bench.command("Tasks: Run Task", kind);
    await bench.again("the tasks", () => kind.click(), task);
    await bench.again("the start", () => task.first().click(), gone(task.first()));
    await bench.command("Problems: Focus on Problems View", found); // the task may have brought its terminal to the front
    assert.match(await found.innerText(), /K201\s+\[Ln 2, Col 10\]/);
    assert.equal(await findings.filter({ hasText: "later.kernel" }).count(), 1);
    writeFileSync(file, "fn half(x: Float) -> Float {\n  return x * 0.5;\n}\n");
    await bench.again(
      "the other findings alone",
      async () => {
        await bench.choose("F1", ">Tasks: Rerun Last Task", "Tasks: Rerun Last Task");
        await bench.choose("F1", ">Problems: Focus on Problems View", "Problems: Focus on Problems View");
      },
      async () => (await findings.first().isVisible()) && !(await found.isVisible()),
    );
  });

  test("a new name does not reach a read-only file, which says what it lacks", async () => {
    const { page } = bench;
    const before = readFileSync(join(bench.workspace, "film.kernel"), "utf8");
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
    await squiggles(page, 2); // it calls the function twice
    await bench.shows("compute { shoulder(sample(source)) + shoulder(0.0) }");
    assert.equal(readFileSync(join(bench.workspace, "film.kernel"), "utf8"), before);
  });
});

/** What a program in Python prints as JSON. */
function python(program: string, ...files: string[]): unknown {
  const text = execFileSync(join(dirname(KCHECK), "python"), ["-c", program, ...files], { encoding: "utf8" });
  return JSON.parse(text) as unknown;
}
