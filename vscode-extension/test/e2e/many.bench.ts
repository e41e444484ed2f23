// How a workbench takes many kernels. The bounds hold on two cores that have nothing else to do.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { squiggles } from "./waiting.ts";
import { Workbench } from "./workbench.ts";

const SECOND = 1000;
const MANY = 200;
/** Milliseconds. The editor itself takes most of them: it makes a tab for each. */
const MOST_TO_OPEN = 400 * SECOND;

suite("many kernels", { timeout: 600 * SECOND }, () => {
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.start({ settings: { "files.autoSave": "off", "files.refactoring.autoSave": false } });
  });

  after(async () => {
    await bench.close();
  });

  test("200 kernels are renamed into and stay open, and an error in one is still seen soon", async (context) => {
    const { page } = bench;
    const folder = join(bench.workspace, "many");
    mkdirSync(folder);
    writeFileSync(join(folder, "bends.kernel"), "fn bend(x: Float) -> Float {\n  return x * x;\n}\n");
    for (let i = 0; i < MANY; i++) {
      const name = `k${String(i).padStart(3, "0")}`;
      writeFileSync(join(folder, `${name}.kernel`), kernelThatBends(name));
    }
    await bench.open("many/bends.kernel");
    await bench.place("bend(");
    const start = performance.now();
    await bench.again(
      "the new name",
      async () => {
        if ((await unsaved(bench)) > 0) return;
        await page.keyboard.press("F2");
        await page.locator(".rename-box input").fill("twist");
        await page.locator(".rename-box input").press("Enter");
      },
      async () => (await unsaved(bench)) > 0,
    );
    await bench.until("all kernels", async () => (await unsaved(bench)) > MANY, MOST_TO_OPEN);
    const opened = performance.now();
    await bench.open("many/k199.kernel");
    await bench.until("the new name", async () => (await bench.text()).includes("twist"));
    await squiggles(page, 0);
    await bench.place("compute");
    await bench.write("oops");
    await page.locator(".squiggly-error").first().waitFor();
    const seen = performance.now();
    await bench.undo("oops");
    await squiggles(page, 0);
    const seconds = (milliseconds: number): string => (milliseconds / SECOND).toFixed(1);
    context.diagnostic(
      `seconds until all are open: ${seconds(opened - start)}; to an error: ${seconds(seen - opened)}`,
    );
    assert.ok(opened - start < MOST_TO_OPEN, `${opened - start} ms to open`);
    assert.ok(seen - opened < 30 * SECOND, `${seen - opened} ms to an error`);
  });
});

function kernelThatBends(name: string): string {
  return `use bends;

kernel many.${name}@1 {
  requires { field.read; field.write; }
  input source: Rows<Float>;
  output result: Rows<Float>;

  compute { bend(sample(source)) }

  example two { source = [1, 2]; expect result = [1, 4]; }
}
`;
}

/** The number of files that are not saved. */
async function unsaved(bench: Workbench): Promise<number> {
  const badge = bench.page.locator(".activitybar .badge-content").first();
  return (await badge.isVisible()) ? Number(await badge.innerText()) : 0;
}
