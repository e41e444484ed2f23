import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CrashPolicy } from "../../src/host/crashes.ts";

suite("crashes", () => {
  test("waits longer each time, and gives up at the fifth crash", () => {
    const policy = new CrashPolicy();
    const delays = [0, 1000, 2000, 3000, 4000].map((now) => policy.crashed(now));
    assert.deepEqual(delays, [250, 1000, 4000, 8000, undefined]);
  });

  test("forgets crashes after three minutes", () => {
    const policy = new CrashPolicy();
    for (const now of [0, 1, 2, 3]) policy.crashed(now);
    assert.equal(policy.crashed(180_003), 250);
  });

  test("begins anew when somebody asks for a restart", () => {
    const policy = new CrashPolicy();
    for (const now of [0, 1, 2, 3]) policy.crashed(now);
    policy.reset();
    assert.equal(policy.crashed(4), 250);
  });
});
