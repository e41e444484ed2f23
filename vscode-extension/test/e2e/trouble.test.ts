// What goes wrong on other people's machines.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Locator } from "playwright-core";
import { KCHECK, Workbench } from "./workbench.ts";

const SECOND = 1000;

suite("servers that do not work", { timeout: 400 * SECOND }, () => {
  let bench: Workbench;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-trouble-"));
    bench = await Workbench.start({ settings: { "kcheck.server.path": join(folder, "kcheck") } });
  });

  after(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  const message = (text: string): Locator => bench.page.locator(".notification-toast", { hasText: text });

  /** Puts a program in kcheck's place. */
  const use = async (script: string): Promise<void> => {
    writeFileSync(join(folder, "kcheck"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await bench.command("kcheck: Restart Server");
  };

  test("one that is not there", async () => {
    await bench.open("broken.kernel");
    await message("which does not exist").waitFor();
    await bench.status().filter({ hasText: "not found" }).waitFor();
  });

  test("one that is too old", async () => {
    await use("echo 'kcheck 0.0.3'");
    await message("kcheck 0.0.3 of the setting kcheck.server.path is too old").waitFor();
  });

  test("one that lacks a package", async () => {
    await use('[ "$1" = lsp ] && { echo "kcheck: pygls is not installed" >&2; exit 2; }; echo "kcheck 9.0.0"');
    await message("pygls is not installed").waitFor();
  });

  test("one that ends as soon as it starts", async () => {
    await use('[ "$1" = lsp ] && exit 3; echo "kcheck 9.0.0"');
    await message("ended five times in three minutes").waitFor({ timeout: 90 * SECOND });
    await bench.status().filter({ hasText: "stopped" }).waitFor();
  });

  test("then the right one is taken up", async () => {
    await use(`exec ${KCHECK} "$@"`);
    await bench.page.locator(".squiggly-error").first().waitFor();
    await bench
      .status()
      .filter({ hasNotText: /stopped|starting|not found/ })
      .waitFor();
  });
});

suite("a workspace that is not trusted", { timeout: 300 * SECOND }, () => {
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.start({ trusted: false });
  });

  after(async () => {
    await bench.close();
  });

  test("is checked, but nothing runs", async () => {
    const { page } = bench;
    await bench.open("laws.kernel");
    await page.locator(".squiggly-error").first().waitFor();
    await bench.lens("run three").click();
    await page
      .locator(".notification-toast", { hasText: "Kernels are not run in a workspace that is not trusted" })
      .waitFor();
    assert.equal(page.frames().filter((frame) => frame.url().includes("webview")).length, 0);
  });
});
