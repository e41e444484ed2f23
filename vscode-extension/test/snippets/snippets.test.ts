// Every snippet, taken as it is proposed, checks without errors.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { expand } from "./expand.ts";

const KCHECK = resolve(process.env.KCHECK ?? "../.venv/bin/kcheck");

interface Snippet {
  prefix: string | string[];
  body: string[];
}

/** What a snippet stands in, with `$` for it, where that is not a file. */
const AROUND: Record<string, string> = {
  Example: kernel("input source: Rows<Int>;", "sample(source)", "$"),
  For: kernel("input source: Rows<Int>;", "$ sample(source)"),
  Until: kernel("input source: Rows<Int>;", "$ sample(source)"),
  Match: kernel("input source: Rows<Int>;", "let value = sample(source); let _chosen = $; value"),
};

function kernel(port: string, body: string, member = ""): string {
  return `kernel a.b@1 { requires { field.read; field.write; } ${port} output result: Rows<Int>; compute { ${body} } ${member} }`;
}

interface Report {
  files: { path: string; diagnostics: { severity: string; code: string; message: string }[] }[];
}

suite("snippets", () => {
  const snippets = JSON.parse(readFileSync("snippets/kernel.json", "utf8")) as Record<string, Snippet>;
  const fileOf = (name: string): string => `${name.replaceAll(" ", "_")}.kernel`;
  let folder: string;
  let report: Report;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-snippets-"));
    for (const [name, { body }] of Object.entries(snippets)) {
      writeFileSync(join(folder, fileOf(name)), (AROUND[name] ?? "$").replace("$", () => expand(body)));
    }
    const { stdout } = spawnSync(KCHECK, ["check", "--format", "json", folder], { encoding: "utf8" });
    report = JSON.parse(stdout) as Report;
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  test("there is one for each mode", () => {
    const text = Object.values(snippets).map(({ body }) => expand(body)).join("\n");
    for (const mode of [/compute \{/, /compute over/, /scan over/, /scatter over/, /prefix over/, /group \d+ \{/]) assert.match(text, mode);
  });

  for (const name of Object.keys(snippets)) {
    test(name, () => {
      const file = report.files.find(({ path }) => basename(path) === fileOf(name));
      assert.ok(file);
      assert.deepEqual(file.diagnostics.filter(({ severity }) => severity === "error" || severity === "warning"), []);
    });
  }
});
