import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { kernelAt, kernelHeads } from "../../src/text/kernels.ts";

const TEXT = `// kernel not.this@1 {
/* kernel nor.this@1 { */
kernel a.first@1 {
  example one { source = file("kernel in.text@1"); }
  example two {
}
scene s { example of_scene { } }
kernel b . second @ 12 { compute { let kernel_like = 1;`;

suite("kernels in a text", () => {
  test("are found with their examples, in half-written files too", () => {
    const found = kernelHeads(TEXT);
    assert.deepEqual(
      found.map(({ name, examples }) => [name, examples]),
      [
        ["a.first@1", ["one", "two"]],
        ["b.second@12", []],
      ],
    );
    assert.ok(TEXT.slice(found[0]?.offset).startsWith("kernel a.first@1"));
  });

  test("belong to the places behind their heads", () => {
    const found = kernelHeads(TEXT);
    assert.equal(kernelAt(found, 0)?.name, "a.first@1");
    assert.equal(kernelAt(found, TEXT.indexOf("example two"))?.name, "a.first@1");
    assert.equal(kernelAt(found, TEXT.length)?.name, "b.second@12");
    assert.equal(kernelAt([], 0), undefined);
  });
});
