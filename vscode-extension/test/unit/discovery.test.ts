import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { candidates, choose, explain, isOlder, type Places } from "../../src/host/discovery.ts";

suite("finding kcheck", () => {
  let folder: string;
  const nowhere: Places = { serverPath: "", python: "", activePython: undefined, path: "", windows: false };

  /** A program that prints and ends. */
  function program(name: string, text: string, status = 0): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho '${text}'\nexit ${status}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-discovery-"));
    program("kcheck", "kcheck 0.1.0");
    program("python3", "kcheck 0.2.0");
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  test("settings come first and alone, then the active environment, then the PATH", async () => {
    const all = { ...nowhere, python: "/py", activePython: "/env/bin/python", path: folder };
    const commands = async (places: Places): Promise<string[]> =>
      (await candidates(places)).map(({ command }) => command);
    assert.deepEqual(await commands({ ...all, serverPath: "/k" }), ["/k"]);
    assert.deepEqual(await commands(all), ["/py"]);
    assert.deepEqual(await commands({ ...all, python: "" }), [
      "/env/bin/python",
      join(folder, "kcheck"),
      join(folder, "python3"),
    ]);
  });

  test("an interpreter is asked for the module", async () => {
    const [candidate] = await candidates({ ...nowhere, python: "/py" });
    assert.deepEqual(candidate?.args, ["-m", "kcheck"]);
  });

  test("takes the first that is new enough, and says why not the others", async () => {
    const old = program("old", "kcheck 0.0.9");
    const all = [old, join(folder, "gone"), join(folder, "kcheck")].map((command) => ({
      command,
      args: [],
      origin: "a test",
    }));
    const { found, refused } = await choose(all);
    assert.equal(found?.version, "0.1.0");
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      ["old", "missing"],
    );
  });

  const explained = async (command: string): Promise<string> => {
    const { refused } = await choose([{ command, args: [], origin: "the setting kcheck.python" }]);
    return explain(refused);
  };

  test("says how to install what is missing", async () => {
    assert.match(explain([]), /Python is missing.*pip install "kcheck/);
    assert.match(
      await explained(program("bare", "No module named kcheck", 1)),
      /bare -m pip install "kcheck\[jit,lsp\]"/,
    );
    assert.match(await explained(program("old2", "kcheck 0.0.9")), /0\.0\.9 .*too old.*--upgrade/);
    assert.match(await explained("/nowhere/kcheck"), /kcheck\.python names \/nowhere\/kcheck, which does not exist/);
    assert.match(await explained(program("sick", "cannot load a library", 1)), /does not start: cannot load a library/);
  });

  test("versions are compared number by number", () => {
    assert.equal(isOlder("0.9", "0.10"), true);
    assert.equal(isOlder("0.1", "0.1.0"), false);
    assert.equal(isOlder("1.0.0", "0.9.9"), false);
  });
});
