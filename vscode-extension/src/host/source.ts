// Where a view's numbers come from: a short list that came with the result, or a file with the whole array.
import type { Buckets, BucketsRequest, Region, RegionValues } from "../messages.ts";
import type { Json, Leaf } from "../protocol.ts";
import { type NpyLeaf, NpyFile, readLeaf } from "./npy.ts";

const CHUNK_ELEMENTS = 1 << 18;

/** The values of one output. */
export interface Source {
  readonly shape: readonly number[];
  readonly leaves: readonly string[];
  /** The numbers of `count` elements from `first` on, an element's leaves side by side. */
  read(first: number, count: number): Promise<Float32Array | Float64Array>;
  close(): Promise<void>;
}

/** An array in a .npy file. */
export class FileSource implements Source {
  readonly leaves: readonly string[];

  private readonly file: NpyFile;

  private constructor(file: NpyFile) {
    this.file = file;
    this.leaves = file.header.leaves.map((leaf) => leaf.name);
  }

  static async open(path: string, rank: number): Promise<FileSource> {
    return new FileSource(await NpyFile.open(path, rank));
  }

  get shape(): readonly number[] {
    return this.file.header.shape;
  }

  async read(first: number, count: number): Promise<Float32Array | Float64Array> {
    const view = await this.file.read(first, count);
    const { leaves, itemSize } = this.file.header;
    if (leaves.every((leaf) => leaf.code === "f4") && itemSize === 4 * leaves.length && view.byteOffset % 4 === 0) {
      return new Float32Array(view.buffer, view.byteOffset, count * leaves.length);
    }
    return decode(view, leaves, itemSize, count);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function decode(view: DataView, leaves: readonly NpyLeaf[], itemSize: number, count: number): Float64Array {
  const numbers = new Float64Array(count * leaves.length);
  let at = 0;
  for (let element = 0; element < count; element++) {
    for (const leaf of leaves) numbers[at++] = readLeaf(view, element * itemSize, leaf);
  }
  return numbers;
}

/** An array as nested lists. */
export class ListSource implements Source {
  readonly leaves: readonly string[];
  private readonly numbers: Float64Array;

  readonly shape: readonly number[];

  constructor(shape: readonly number[], values: Json[]) {
    this.shape = shape;
    let elements: Json[] = values;
    for (let axis = 1; axis < shape.length; axis++) elements = elements.flatMap((row) => row as Json[]);
    const rows = elements.map((element) => numbersOf(element, ""));
    this.leaves = rows[0]?.map(([name]) => name) ?? [""];
    this.numbers = Float64Array.from(rows.flatMap((row) => row.map(([, number]) => number)));
  }

  read(first: number, count: number): Promise<Float64Array> {
    const { length } = this.leaves;
    return Promise.resolve(this.numbers.slice(first * length, (first + count) * length));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The numbers of an element with their names. */
function numbersOf(value: Json, name: string): [string, number][] {
  if (Array.isArray(value)) {
    const plain = value.length <= 4 && !value.some((part) => typeof part === "object");
    return value.flatMap((part, i) => numbersOf(part, plain ? join(name, "xyzw".charAt(i)) : `${name}[${i}]`));
  }
  if (value !== null && typeof value === "object") {
    return Object.entries(value).flatMap(([key, part]) => numbersOf(part, join(name, key)));
  }
  return [[name, Number(value)]];
}

function join(name: string, part: string): string {
  return name ? `${name}.${part}` : part;
}

/** Width, height and depth of a shape, which names its slowest axis first. */
export function sizeOf(shape: readonly number[]): { width: number; height: number; depth: number } {
  const [width = 1, height = 1, depth = 1] = [...shape].reverse();
  return { width, height, depth };
}

/** The numbers of a region; what lies outside of the array is left out. */
export async function region(source: Source, wanted: Region): Promise<RegionValues> {
  const size = sizeOf(source.shape);
  const step = Math.max(1, wanted.step);
  const x = clamp(wanted.x, 0, size.width);
  const y = clamp(wanted.y, 0, size.height);
  const columns = Math.ceil(Math.min(wanted.width, size.width - x) / step);
  const rows = Math.ceil(Math.min(wanted.height, size.height - y) / step);
  const leaves = source.leaves.length;
  const layer = clamp(wanted.z, 0, size.depth - 1) * size.height * size.width;
  let values: Float32Array | Float64Array | undefined;
  for (let row = 0; row < rows; row++) {
    const line = await source.read(layer + (y + row * step) * size.width + x, (columns - 1) * step + 1);
    values ??=
      line instanceof Float32Array
        ? new Float32Array(rows * columns * leaves)
        : new Float64Array(rows * columns * leaves);
    if (step === 1) values.set(line, row * columns * leaves);
    else thin(line, values, row * columns * leaves, columns, leaves, step);
  }
  return { columns, rows, leaves, values: values ?? new Float64Array(0) };
}

function thin(
  line: Float32Array | Float64Array,
  values: Float32Array | Float64Array,
  start: number,
  columns: number,
  leaves: number,
  step: number,
): void {
  for (let column = 0; column < columns; column++) {
    for (let leaf = 0; leaf < leaves; leaf++) {
      values[start + column * leaves + leaf] = line[column * step * leaves + leaf] ?? NaN;
    }
  }
}

/** The least and largest number of each part of a stretch of elements. A part of NaN alone gives NaN. */
export async function buckets(source: Source, wanted: BucketsRequest): Promise<Buckets> {
  const total = source.shape.reduce((product, length) => product * length, 1);
  const start = clamp(Math.floor(wanted.start), 0, total);
  const end = clamp(Math.ceil(wanted.end), start, total);
  const count = Math.min(wanted.buckets, end - start);
  const low = new Float64Array(count).fill(NaN);
  const high = new Float64Array(count).fill(NaN);
  const leaves = source.leaves.length;
  for (let first = start; first < end; first += CHUNK_ELEMENTS) {
    const length = Math.min(CHUNK_ELEMENTS, end - first);
    const chunk = await source.read(first, length);
    for (let i = 0; i < length; i++) {
      const value = chunk[i * leaves + wanted.leaf] ?? NaN;
      if (Number.isNaN(value)) continue;
      const bucket = Math.floor(((first + i - start) / (end - start)) * count);
      if (!(value >= (low[bucket] ?? NaN))) low[bucket] = value;
      if (!(value <= (high[bucket] ?? NaN))) high[bucket] = value;
    }
  }
  return { low, high };
}

/** The whole array as CSV: places first, then a column for each number of an element. */
export async function* csv(source: Source, leaves: readonly Leaf[]): AsyncGenerator<string> {
  const { width, height, depth } = sizeOf(source.shape);
  const axes = source.shape.length === 1 ? ["index"] : source.shape.length === 2 ? ["x", "y"] : ["x", "y", "z"];
  const isAlone = leaves.every(({ name }) => !axes.includes(name));
  const names = leaves.map(({ name }) => (isAlone ? name || "value" : `value.${name}`)); // no two columns of one name
  yield [...axes, ...names].join(",") + "\n";
  for (let row = 0; row < height * depth; row++) {
    const numbers = await source.read(row * width, width);
    const lines: string[] = [];
    for (let x = 0; x < width; x++) {
      const place = [x, row % height, Math.floor(row / height)].slice(0, axes.length);
      lines.push([...place, ...numbers.subarray(x * leaves.length, (x + 1) * leaves.length)].join(","));
    }
    yield lines.join("\n") + "\n";
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
