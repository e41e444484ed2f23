import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { countsOf, lawText, verdictOf } from "../../src/host/laws.ts";
import type { LawState, LawStatus, Status } from "../../src/protocol.ts";

function laws(...states: LawState[]): LawStatus[] {
  return states.map((state) => ({ law: "associative", state }));
}

suite("laws", () => {
  test("a kernel's mark is that of its worst law", () => {
    assert.equal(verdictOf(laws("proved", "refuted")), "refuted");
    assert.equal(verdictOf(laws("refuted", "working")), "refuted");
    assert.equal(verdictOf(laws("proved", "stale")), "working");
    assert.equal(verdictOf(laws("unknown", "proved")), "unknown");
    assert.equal(verdictOf(laws("proved", "proved")), "proved");
    assert.equal(verdictOf([]), undefined);
  });

  test("the status item counts them", () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const kernel = { name: "a@1", range, selectionRange: range };
    const status: Status = {
      uri: "",
      version: 1,
      state: "working",
      kernels: [
        { ...kernel, laws: laws("proved", "refuted") },
        { ...kernel, laws: laws("queued", "working") },
      ],
    };
    assert.equal(countsOf(status), "1 proved, 1 refuted, 2 open");
    assert.equal(countsOf({ ...status, kernels: [] }), "");
  });

  test("a law is told in a line", () => {
    const text = lawText({ law: "commutative", state: "proved", assuming: ["n >= 1", "n <= 8"], seconds: 0.123 });
    assert.equal(text, "commutative: proved, assuming n >= 1 and n <= 8 (0.12 s)");
  });
});
