import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LatestWins } from "../../src/view/latest.ts";

suite("the latest wins", () => {
  test("what comes while a job runs is left out, but for the last", async () => {
    const done: number[] = [];
    const queue = new LatestWins<number>(1, async (job) => {
      await Promise.resolve();
      done.push(job);
    });
    for (const job of [1, 2, 3, 4]) queue.submit(job);
    await new Promise((resolve) => setTimeout(resolve, 5));
    queue.submit(5);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(done, [1, 4, 5]);
  });

  test("what waits can be forgotten", async () => {
    const done: number[] = [];
    const queue = new LatestWins<number>(1, async (job) => {
      await Promise.resolve();
      done.push(job);
    });
    queue.submit(1);
    queue.submit(2);
    queue.clear();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(done, [1]);
  });

  test("two can be on the way at once", async () => {
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const queue = new LatestWins<number>(2, (job) => {
      started.push(job);
      return new Promise((end) => ends.push(end));
    });
    for (const job of [1, 2, 3, 4]) queue.submit(job);
    assert.deepEqual(started, [1, 2]);
    ends[0]?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(started, [1, 2, 4]);
  });
});
