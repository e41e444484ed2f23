// An interpreter that only notes what it is asked for stands in for Python.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { install } from "../../src/host/install.ts";

suite("making an environment", () => {
  let folder: string;
  let said: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-install-"));
    said = [];
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Makes `.venv` whose own interpreter does `pip`. */
  const python = (pip: string): string => {
    const path = join(folder, "python");
    const script = `#!/bin/sh\nmkdir -p "$3/bin"\nprintf '#!/bin/sh\\n${pip}\\n' > "$3/bin/python"\nchmod +x "$3/bin/python"\n`;
    writeFileSync(path, script, { mode: 0o755 });
    return path;
  };

  const installed = (pip: string, signal = new AbortController().signal): Promise<string> =>
    install({ python: python(pip), folder, windows: false, signal, said: (line) => said.push(line) });

  test("makes it, then installs kcheck with the language server and the JIT", async () => {
    const interpreter = await installed(`echo "$@" > ${folder}/asked; echo done`);
    assert.equal(interpreter, join(folder, ".venv/bin/python"));
    assert.equal(readFileSync(join(folder, "asked"), "utf8"), "-m pip install kcheck[lsp,jit]\n");
    assert.ok(said.includes("done"));
  });

  test("leaves nothing behind where installing fails", async () => {
    await assert.rejects(installed("echo no such package >&2; exit 1"), /ended with 1/);
    assert.ok(said.includes("no such package"));
    assert.ok(!existsSync(join(folder, ".venv")));
  });

  test("stops when it is cancelled, and leaves nothing behind", async () => {
    const abort = new AbortController();
    const ended = installed(`echo begun > ${folder}/begun; exec sleep 60`, abort.signal);
    while (!existsSync(join(folder, "begun"))) await new Promise((later) => setTimeout(later, 20));
    abort.abort();
    await assert.rejects(ended, { name: "AbortError" });
    assert.ok(!existsSync(join(folder, ".venv")));
  });

  test("keeps an environment that was there", async () => {
    const own = join(folder, ".venv/bin");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "python"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await assert.rejects(installed("exit 0"), /ended with 1/);
    assert.ok(existsSync(join(own, "python")));
  });

  test("says that there is no such interpreter", async () => {
    const none = { python: join(folder, "none"), folder, windows: false, said: () => undefined };
    await assert.rejects(install({ ...none, signal: new AbortController().signal }), { code: "ENOENT" });
  });
});
