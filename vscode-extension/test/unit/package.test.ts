import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { suite, test } from "node:test";

const KCHECK = resolve(process.env.KCHECK ?? "../.venv/bin/kcheck");

interface Manifest {
  contributes: {
    problemMatchers: { pattern: ({ regexp: string } & Record<string, number>)[] }[];
    commands: { command: string }[];
    walkthroughs: { steps: { description: string; media: { markdown: string }; completionEvents: string[] }[] }[];
  };
}

suite("the manifest", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const commands = contributes.commands.map(({ command }) => command);

  test("a walkthrough's steps have their text, and name commands that there are", () => {
    for (const { description, media, completionEvents } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      assert.ok(existsSync(media.markdown), media.markdown);
      const named = [...description.matchAll(/\(command:([\w.]+)\)/g)].map(([, command]) => command ?? "");
      assert.ok(named.length > 0);
      for (const command of [...named, ...completionEvents.map((event) => event.replace("onCommand:", ""))])
        assert.ok(commands.includes(command), command);
    }
  });

  test("a kernel's name with its version is one word, a member behind a dot is another", () => {
    const { wordPattern } = JSON.parse(readFileSync("language-configuration.json", "utf8")) as { wordPattern: string };
    const words = (text: string): string[] => text.match(new RegExp(wordPattern, "g")) ?? [];
    assert.deepEqual(words("kernel stats.luma@1 {"), ["kernel", "stats.luma@1"]);
    assert.deepEqual(words("p.x * 0.5 + gain2"), ["p", "x", "0.5", "gain2"]);
    assert.deepEqual(words("node a: stats.luma@12;"), ["node", "a", "stats.luma@12"]);
    assert.deepEqual(words("stats.lu"), ["stats", "lu"]);
  });

  test("the problem matcher reads what `kcheck check` prints", () => {
    const { stdout } = spawnSync(KCHECK, ["check", "test/e2e/workspace/broken.kernel"], { encoding: "utf8" });
    const lines = stdout.split("\n");
    const [head, place] = contributes.problemMatchers[0]?.pattern ?? [];
    assert.ok(head && place);
    const at = lines.findIndex((line) => new RegExp(head.regexp).test(line));
    const found = new RegExp(head.regexp).exec(lines[at] ?? "");
    const where = new RegExp(place.regexp).exec(lines[at + 1] ?? "");
    assert.deepEqual(
      [found?.[1], where?.[1], where?.[2], where?.[3]],
      ["error", "test/e2e/workspace/broken.kernel", "8", "20"],
    );
    assert.match(found?.[2] ?? "", /^K\d+$/);
  });
});
