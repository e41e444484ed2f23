// Reads NumPy's .npy format: the header, and parts of the data.
import { type FileHandle, open } from "node:fs/promises";

/** A number inside an element. */
export interface NpyLeaf {
  name: string;
  /** NumPy's kind and size: "f4", "i4", "b1". */
  code: string;
  /** Bytes from the element's start. */
  offset: number;
}

export interface NpyHeader {
  shape: number[];
  leaves: NpyLeaf[];
  /** Bytes that an element takes. */
  itemSize: number;
  dataStart: number;
}

const SIZES: Record<string, number> = { b1: 1, i1: 1, u1: 1, i2: 2, u2: 2, i4: 4, u4: 4, f4: 4, f8: 8 };
const COMPONENTS = "xyzw";

type Literal = string | number | boolean | Literal[] | { [key: string]: Literal };

/** Reads the Python literal that a header is: strings, whole numbers, booleans, tuples, lists and dicts. */
function literal(text: string): Literal {
  const tokens = text.match(/'[^']*'|"[^"]*"|\w+|[()[\]{}:,]/g) ?? [];
  let at = 0;
  /** What stands up to a closing sign, commas left out. */
  const items = (end: string): Literal[] => {
    const found: Literal[] = [];
    while (tokens[at] !== end) {
      found.push(value());
      if (tokens[at] === "," || tokens[at] === ":") at++;
    }
    at++;
    return found;
  };
  const value = (): Literal => {
    const token = tokens[at++];
    if (token === "(") return items(")");
    if (token === "[") return items("]");
    if (token === "{") return pairs(items("}"));
    if (token === "True" || token === "False") return token === "True";
    if (token?.startsWith("'") || token?.startsWith('"')) return token.slice(1, -1);
    if (token !== undefined && /^\d+$/.test(token)) return Number(token);
    throw new Error("the .npy header cannot be read");
  };
  return value();
}

/** Keys and values in turn as an object. */
function pairs(items: readonly Literal[]): Record<string, Literal> {
  const found: Record<string, Literal> = {};
  for (let i = 0; i + 1 < items.length; i += 2) found[items[i] as string] = items[i + 1] ?? "";
  return found;
}

/** The leaves of a dtype, and its size in bytes. */
function layout(descr: Literal, prefix: string, start: number): { leaves: NpyLeaf[]; size: number } {
  if (typeof descr === "string") {
    const code = descr.slice(1);
    if (descr.startsWith(">")) throw new Error("big-endian .npy files are not read");
    if (code.startsWith("V")) return { leaves: [], size: Number(code.slice(1)) }; // padding
    const size = SIZES[code];
    if (size === undefined) throw new Error(`the dtype ${descr} is not read`);
    return { leaves: [{ name: prefix, code, offset: start }], size };
  }
  if (!Array.isArray(descr)) throw new Error("the .npy header has no dtype");
  const leaves: NpyLeaf[] = [];
  let size = 0;
  for (const field of descr as [string, Literal, number[]?][]) {
    const [name, inner, shape] = field;
    const path = prefix ? `${prefix}.${name}` : name;
    for (const place of places(shape ?? [])) {
      const part = layout(inner, path + place, start + size);
      leaves.push(...part.leaves);
      size += part.size;
    }
  }
  return { leaves, size };
}

/** The suffixes of the parts of an inner shape: ".x" to ".w" for up to four numbers, else "[3]" or "[1][0]". */
export function places(shape: readonly number[]): string[] {
  const [count, ...rest] = shape;
  if (count === undefined) return [""];
  const inner = places(rest);
  return Array.from({ length: count }, (_, i) => i).flatMap((i) =>
    inner.map((suffix) => (count <= 4 && rest.length === 0 ? `.${COMPONENTS.charAt(i)}` : `[${i}]`) + suffix),
  );
}

/** Reads a header; `rank` is the number of field axes, the axes after them belong to the element. */
export function parseHeader(bytes: Uint8Array, rank: number): NpyHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || view.getUint32(0) !== 0x934e554d) throw new Error("this is no .npy file");
  const long = view.getUint8(6) > 1;
  const start = long ? 12 : 10;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  const text = new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
  const header = literal(text) as { descr: Literal; fortran_order: boolean; shape: number[] };
  if (header.fortran_order) throw new Error("column-major .npy files are not read");
  const leaves: NpyLeaf[] = [];
  let itemSize = 0;
  for (const place of places(header.shape.slice(rank))) {
    const part = layout(header.descr, place.replace(/^\./, ""), itemSize);
    leaves.push(...part.leaves);
    itemSize += part.size;
  }
  return { shape: header.shape.slice(0, rank), leaves, itemSize, dataStart: start + length };
}

const HEADER_BYTES = 65_536;

/** An open .npy file. */
export class NpyFile {
  private readonly file: FileHandle;
  readonly header: NpyHeader;

  private constructor(file: FileHandle, header: NpyHeader) {
    this.file = file;
    this.header = header;
  }

  static async open(path: string, rank: number): Promise<NpyFile> {
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return new NpyFile(file, parseHeader(buffer.subarray(0, bytesRead), rank));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The bytes of `count` elements from element `first` on. */
  async read(first: number, count: number): Promise<DataView> {
    const { itemSize, dataStart } = this.header;
    const buffer = Buffer.allocUnsafe(count * itemSize);
    const { bytesRead } = await this.file.read(buffer, 0, buffer.length, dataStart + first * itemSize);
    if (bytesRead < buffer.length) throw new Error("the .npy file is shorter than its header says");
    return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/** The number of a leaf in the element that begins at byte `at`. */
export function readLeaf(view: DataView, at: number, leaf: NpyLeaf): number {
  const place = at + leaf.offset;
  switch (leaf.code) {
    case "f4":
      return view.getFloat32(place, true);
    case "f8":
      return view.getFloat64(place, true);
    case "i4":
      return view.getInt32(place, true);
    case "u4":
      return view.getUint32(place, true);
    case "i2":
      return view.getInt16(place, true);
    case "u2":
      return view.getUint16(place, true);
    case "i1":
      return view.getInt8(place);
    default:
      return view.getUint8(place);
  }
}
