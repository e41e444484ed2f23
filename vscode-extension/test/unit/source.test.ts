// The expected numbers are worked out by hand; the files are written by NumPy.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { buckets, csv, FileSource, ListSource, region, type Source } from "../../src/host/source.ts";

const kcheck = resolve(process.env.KCHECK ?? "../.venv/bin/kcheck");
const PYTHON = join(kcheck, "../python");

suite("values in files", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kcheck-npy-"));
    const script = `
import numpy as np
np.save("grid.npy", np.arange(12, dtype=np.float32).reshape(3, 4))
np.save("image.npy", np.arange(2 * 2 * 4, dtype=np.float32).reshape(2, 2, 4))
np.save("matrices.npy", np.arange(8, dtype=np.float32).reshape(2, 2, 2))
np.save("bools.npy", np.array([True, False, True]))
np.save("ints.npy", np.array([-2**31, 2**31 - 1], dtype=np.int32))
pair = np.dtype([("n", "<i4"), ("on", "?"), ("at", "<f4", (2,)), ("inner", [("x", "<f4")])], align=True)
pairs = np.zeros(2, pair)
pairs["n"], pairs["on"], pairs["at"], pairs["inner"]["x"] = [7, 8], [True, False], [[1, 2], [3, 4]], [0.5, 0.25]
np.save("pairs.npy", pairs)
np.save("columns.npy", np.asfortranarray(np.zeros((2, 3), np.float32)))
np.save("volume.npy", np.arange(24, dtype=np.float32).reshape(2, 3, 4))
`;
    execFileSync(existsSync(PYTHON) ? PYTHON : "python3", ["-c", script], { cwd: folder });
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  const open = (name: string, rank: number): Promise<FileSource> => FileSource.open(join(folder, name), rank);
  const all = (x: number, y: number, width: number, height: number, step = 1, z = 0) => ({
    output: "",
    x,
    y,
    z,
    width,
    height,
    step,
  });

  async function using<T>(name: string, rank: number, read: (source: Source) => Promise<T>): Promise<T> {
    const source = await open(name, rank);
    try {
      return await read(source);
    } finally {
      await source.close();
    }
  }

  test("a region of a grid, and what lies outside is left out", async () => {
    const found = await using("grid.npy", 2, (source) => region(source, all(1, 1, 9, 9)));
    assert.deepEqual([found.columns, found.rows, [...found.values]], [3, 2, [5, 6, 7, 9, 10, 11]]);
  });

  test("every second element of a grid", async () => {
    const found = await using("grid.npy", 2, (source) => region(source, all(0, 0, 4, 3, 2)));
    assert.deepEqual([found.columns, found.rows, [...found.values]], [2, 2, [0, 2, 8, 10]]);
  });

  test("a layer of a volume", async () => {
    const found = await using("volume.npy", 3, (source) => region(source, all(0, 0, 2, 1, 1, 1)));
    assert.deepEqual([...found.values], [12, 13]);
  });

  test("the numbers of vectors, matrices, Bools and Ints", async () => {
    await using("image.npy", 2, async (source) => {
      assert.deepEqual(source.leaves, ["x", "y", "z", "w"]);
      assert.deepEqual([...(await region(source, all(1, 1, 1, 1))).values], [12, 13, 14, 15]);
    });
    await using("matrices.npy", 1, async (source) => {
      assert.deepEqual(source.leaves, ["[0].x", "[0].y", "[1].x", "[1].y"]);
      assert.deepEqual([...(await source.read(1, 1))], [4, 5, 6, 7]);
    });
    await using("bools.npy", 1, async (source) => {
      assert.deepEqual([...(await source.read(0, 3))], [1, 0, 1]);
    });
    await using("ints.npy", 1, async (source) => {
      assert.deepEqual([...(await source.read(0, 2))], [-(2 ** 31), 2 ** 31 - 1]);
    });
  });

  test("the fields of structs, behind padding too", async () => {
    await using("pairs.npy", 1, async (source) => {
      assert.deepEqual(source.leaves, ["n", "on", "at.x", "at.y", "inner.x"]);
      assert.deepEqual([...(await source.read(1, 1))], [8, 0, 3, 4, 0.25]);
    });
  });

  test("files that cannot be read are refused", async () => {
    writeFileSync(join(folder, "text.npy"), "no numbers here");
    await assert.rejects(open("text.npy", 1), /no \.npy file/);
    await assert.rejects(open("columns.npy", 2), /column-major/);
    await assert.rejects(open("gone.npy", 1), /ENOENT/);
  });

  test("as CSV", async () => {
    const lines = await using("image.npy", 2, async (source) =>
      (
        await Array.fromAsync(
          csv(
            source,
            source.leaves.map((name) => ({ name })),
          ),
        )
      ).join(""),
    );
    assert.equal(
      lines,
      "x,y,value.x,value.y,value.z,value.w\n0,0,0,1,2,3\n1,0,4,5,6,7\n0,1,8,9,10,11\n1,1,12,13,14,15\n",
    );
  });
});

suite("values in lists", () => {
  test("structs and vectors", async () => {
    const source = new ListSource(
      [2],
      [
        { at: [1, 2], n: 3 },
        { at: [4, "NaN"], n: 6 },
      ],
    );
    assert.deepEqual(source.leaves, ["at.x", "at.y", "n"]);
    assert.deepEqual([...(await source.read(1, 1))], [4, NaN, 6]);
  });

  test("grids", async () => {
    const source = new ListSource(
      [2, 3],
      [
        [1, 2, 3],
        [4, "Infinity", true],
      ],
    );
    assert.deepEqual([...(await source.read(0, 6))], [1, 2, 3, 4, Infinity, 1]);
  });

  test("the least and largest of each part, NaN left out", async () => {
    const source = new ListSource([6], [3, 1, "NaN", 5, "NaN", "NaN"]);
    const found = await buckets(source, { output: "", leaf: 0, start: 0, end: 6, buckets: 3 });
    assert.deepEqual(
      [[...found.low], [...found.high]],
      [
        [1, 5, NaN],
        [3, 5, NaN],
      ],
    );
    const few = await buckets(source, { output: "", leaf: 0, start: 1, end: 2, buckets: 3 });
    assert.deepEqual([...few.low], [1]);
  });
});
