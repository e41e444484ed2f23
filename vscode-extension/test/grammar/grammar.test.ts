import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { before, suite, test } from "node:test";
import type { IGrammar } from "vscode-textmate";
import { loadGrammar, type Token, tokenize } from "./tokenize.ts";

suite("the TextMate grammar", () => {
  let grammar: IGrammar;

  before(async () => {
    grammar = await loadGrammar();
  });

  // Each line of a snapshot is a line of the source behind `>`, then its tokens with their scopes.
  // To look at a change: UPDATE_SNAPSHOTS=1 npm test, then git diff.
  for (const file of readdirSync("test/grammar").filter((name) => name.endsWith(".kernel"))) {
    test(`snapshot of ${file}`, () => {
      const made = snapshot(tokenize(grammar, readFileSync(`test/grammar/${file}`, "utf8")));
      const path = `test/grammar/${file}.snap`;
      if (process.env.UPDATE_SNAPSHOTS) writeFileSync(path, made);
      assert.equal(made, readFileSync(path, "utf8"));
    });
  }

  const scopesOf = (code: string, word: string): string[] =>
    tokenize(grammar, code)
      .flat()
      .find(({ text }) => text.trim() === word)?.scopes ?? [];

  test("every built-in of the reference is coloured as one", () => {
    const names = [...readFileSync("../docs/builtins.md", "utf8").matchAll(/^### (\w+)$/gm)].map(
      (match) => match[1] ?? "",
    );
    assert.ok(names.length > 50);
    for (const name of names) assert.deepEqual(scopesOf(`let x = ${name}(y);`, name), ["support.function"], name);
  });

  test("every reserved word is a keyword", () => {
    const syntax = readFileSync("../grammar/kernel.tx", "utf8");
    const words = /NameToken: \/\(\?!\(\?:([a-z|]+)\)/.exec(syntax)?.[1]?.split("|") ?? [];
    assert.ok(words.length > 20);
    for (const word of words) {
      const [scope = ""] = scopesOf(`{ ${word} }`, word);
      assert.match(scope, /^(keyword|storage|constant\.language)\./, word);
    }
  });

  test("contextual words are names elsewhere", () => {
    for (const word of [
      "merge",
      "scan",
      "over",
      "with",
      "group",
      "sum",
      "last",
      "domain",
      "example",
      "expect",
      "node",
      "times",
    ]) {
      assert.deepEqual(scopesOf(`let a = b.${word} + 1;`, word), ["variable.other.member"], word);
      const scopes = scopesOf(`x = ${word} + 1;`, word);
      assert.deepEqual(scopes, [], `${word} is coloured as ${scopes.join()}`);
    }
  });

  test("numbers are as the language has them", () => {
    const kinds: Record<string, string> = {
      "12": "integer",
      "1_000": "integer",
      "0xFF": "hex",
      "0b10": "binary",
      "0.5": "float",
      "1e-3": "float",
      "2.5E+10": "float",
    };
    for (const [number, kind] of Object.entries(kinds)) {
      assert.deepEqual(scopesOf(`(${number})`, number), [`constant.numeric.${kind}`], number);
    }
    assert.deepEqual(
      tokenize(grammar, "0..9")
        .flat()
        .map(({ text, scopes }) => [text, scopes.at(-1)]),
      [
        ["0", "constant.numeric.integer"],
        ["..", "keyword.operator"],
        ["9", "constant.numeric.integer"],
      ],
    );
    assert.match(scopesOf("(12abc)", "12abc").join(), /invalid/);
  });
});

function snapshot(lines: Token[][]): string {
  const parts = lines.flatMap((tokens) => [
    `>${tokens.map(({ text }) => text).join("")}`,
    ...tokens
      .filter(({ text, scopes }) => text.trim() && scopes.length > 0)
      .map(({ text, scopes }) => ` ${text.trim()}  ${scopes.join(" ")}`),
  ]);
  return `${parts.join("\n")}\n`;
}
