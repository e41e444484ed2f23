// What goes wrong on other people's machines.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Locator } from "playwright-core";
import { keepFailures } from "./waiting.ts";
import { KCHECK, Workbench } from "./workbench.ts";

const SECOND = 1000;

suite("servers that do not work", { timeout: 1200 * SECOND }, () => {
  let bench: Workbench;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-trouble-"));
    bench = await Workbench.start({ settings: { "kcheck.server.path": join(folder, "kcheck") } });
  });

  keepFailures(() => bench);

  after(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  const message = (text: string): Locator => bench.page.locator(".notification-toast", { hasText: text });

  /** Puts a program in kcheck's place, and starts it until something is seen. */
  const use = async (script: string, seen: Locator): Promise<void> => {
    writeFileSync(join(folder, "kcheck"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await bench.command("kcheck: Restart Server", seen);
  };

  test("one that is not there", async () => {
    await bench.open("broken.kernel");
    await message("which does not exist").waitFor();
    await bench.status().filter({ hasText: "not found" }).waitFor();
  });

  test("one that is too old", async () => {
    await use("echo 'kcheck 0.0.3'", message("kcheck 0.0.3 of the setting kcheck.server.path is too old"));
  });

  test("one that lacks a package", async () => {
    const script = '[ "$1" = lsp ] && { echo "kcheck: pygls is not installed" >&2; exit 2; }; echo "kcheck 9.0.0"';
    await use(script, message("pygls is not installed"));
  });

  test("one that ends as soon as it starts", async () => {
    await use('[ "$1" = lsp ] && exit 3; echo "kcheck 9.0.0"', bench.status().filter({ hasText: "starting" }));
    await message("ended five times in three minutes").waitFor();
    await bench.status().filter({ hasText: "stopped" }).waitFor();
  });

  test("then the right one is taken up", async () => {
    // Seen as soon as it starts: on a machine with much to do it takes longer than the next try to start it would wait.
    await use(`exec ${KCHECK} "$@"`, bench.status().filter({ hasText: "starting" }));
    await bench.page.locator(".squiggly-error").first().waitFor();
    await bench
      .status()
      .filter({ hasNotText: /stopped|starting|not found/ })
      .waitFor();
  });
});

suite("no kcheck anywhere", { timeout: 600 * SECOND }, () => {
  let bench: Workbench;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-python-"));
    // It makes environments whose interpreter has pip, and kcheck after that.
    const inside = `#!/bin/sh\nhere=$(dirname "$0")\nif [ "$2" = pip ]; then echo "$@" > "$here/pip"; exit; fi\n[ -e "$here/pip" ] || exit 1\nshift 2\nexec ${KCHECK} "$@"\n`;
    writeFileSync(join(folder, "inside"), inside, { mode: 0o755 });
    const outside = `#!/bin/sh\nif [ "$2" = venv ]; then mkdir -p "$3/bin" && cp ${folder}/inside "$3/bin/python"; exit; fi\necho "No module named kcheck" >&2\nexit 1\n`;
    writeFileSync(join(folder, "python3"), outside, { mode: 0o755 });
    bench = await Workbench.start({
      settings: { "kcheck.server.path": "", "kcheck.python": join(folder, "python3") },
    });
  });

  keepFailures(() => bench);

  after(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  test("an environment is offered, and made once somebody says yes", async () => {
    const { page } = bench;
    const made = join(bench.workspace, ".venv");
    await bench.open("broken.kernel");
    const message = page.locator(".notification-toast", { hasText: "kcheck is not installed in" });
    const question = page.locator(".monaco-dialog-box", { hasText: "Create an environment with kcheck?" });
    const offer = message.getByRole("button", { name: "Create Environment…" });
    await bench.again("the question", () => offer.click(), question);
    assert.ok(!existsSync(made));
    const yes = question.getByRole("button", { name: "Create", exact: true });
    await bench.again("the environment", () => yes.click(), page.locator(".squiggly-error"));
    assert.equal(readFileSync(join(made, "bin/pip"), "utf8"), "-m pip install kcheck[lsp,jit]\n");
    await bench.status().filter({ hasNotText: "not found" }).waitFor();
  });
});

suite("a workspace that is not trusted", { timeout: 600 * SECOND }, () => {
  let bench: Workbench;

  before(async () => {
    bench = await Workbench.start({ trusted: false });
  });

  keepFailures(() => bench);

  after(async () => {
    await bench.close();
  });

  test("is checked, but nothing runs", async () => {
    const { page } = bench;
    await bench.open("laws.kernel");
    await page.locator(".squiggly-error").first().waitFor();
    await bench.again(
      "the refusal",
      () => bench.lens("run three").click(),
      page.locator(".notification-toast", { hasText: "Kernels are not run in a workspace that is not trusted" }),
    );
    assert.equal(page.frames().filter((frame) => frame.url().includes("webview")).length, 0);
  });
});
