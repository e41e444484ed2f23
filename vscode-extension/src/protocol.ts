// The server's own messages, as docs/editor.md describes them. Every object may gain keys.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export type LawState = "queued" | "working" | "proved" | "refuted" | "unknown" | "stale";

export interface LawStatus {
  law: "associative" | "commutative";
  state: LawState;
  assuming?: string[];
  reason?: string;
  seconds?: number;
}

export interface KernelStatus {
  name: string;
  range: Range;
  selectionRange: Range;
  laws: LawStatus[];
}

/** `kcheck/status`: what is known of one document. */
export interface Status {
  uri: string;
  version: number;
  state: "ready" | "working";
  kernels: KernelStatus[];
}

/** A number as JSON writes it: what JSON has no number for is a string. */
export type JsonNumber = number | "NaN" | "Infinity" | "-Infinity";
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Histogram {
  low: number;
  high: number;
  counts: number[];
}

export interface Summary {
  name?: string;
  count?: number;
  min?: JsonNumber | null;
  max?: JsonNumber | null;
  mean?: JsonNumber | null;
  nan?: number;
  infinite?: number;
  histogram?: Histogram | null;
  fields?: Summary[];
}

/** A picture of at most 1024 pixels a side, each of `step` x `step` elements. 0 stands for `low`, 255 for `high`. */
export interface Preview {
  mime: string;
  /** The picture's file in base64, */
  data?: string;
  /** or its URI, which is good for a few runs. */
  file?: string;
  width: number;
  height: number;
  low: JsonNumber;
  high: JsonNumber;
  channels: number;
  encoding: "srgb" | "linear";
  step: number;
  /** The layer of a volume that is shown. */
  layer?: number;
}

export interface Difference {
  changed: number;
  largest: JsonNumber;
  preview?: Preview;
}

/** A part of the elements that is drawn by itself, such as a field of a struct. */
export interface Part {
  name: string;
  type: string;
  preview?: Preview;
}

export type ViewKind = "picture" | "plot" | "table" | "hex" | "value";

/** One of the numbers that an element consists of. An enum's tag counts its variants. */
export interface Leaf {
  /** "", "x", "place.y". */
  name: string;
  type?: "Float" | "Int" | "Bool";
  variants?: string[];
}

export interface Output {
  name: string;
  kind: "output" | "memory";
  type: string;
  element: string;
  shape: number[];
  view: ViewKind;
  /** The first of an element's numbers. */
  numbers?: Leaf[];
  summary?: Summary;
  preview?: Preview;
  plot?: { low: JsonNumber[]; high: JsonNumber[] };
  parts?: Part[];
  values?: Json[];
  /** A memory's first cells as a hex dump. */
  hex?: string;
  /** A .npy file with all elements. */
  file?: string;
  difference?: Difference;
}

export interface Param {
  name: string;
  type: string;
  value: Json;
  default?: Json;
  low?: Json;
  high?: Json;
}

export interface Expectation {
  output: string;
  ok: boolean;
  message?: string;
  range?: Range | null;
}

export interface RunProblem {
  code: string;
  message: string;
  notes?: string[];
  range?: Range | null;
}

/** What a run gave; also sent as `kcheck/result`. */
export interface Result {
  uri: string;
  version: number;
  kernel: string;
  example?: string | null;
  run: number;
  backend?: string;
  fallback?: string | null;
  seconds?: { compile: number; run: number };
  outputs: Output[];
  expectations?: Expectation[];
  error?: RunProblem | null;
  params?: Param[];
}

export interface Comparison {
  kernel: string;
  backends: string[];
  same: boolean;
  /** The outcome in a sentence. */
  message: string;
  seconds: Record<string, number>;
  fallbacks?: Record<string, string | null>;
  /** As the first backend gave them, with the difference for those that differ. */
  outputs: Output[];
  error?: RunProblem;
}

/** How elements are merged: `text` is "merge(a, b)", or an element's name. */
export interface Tree {
  text: string;
  elements: number[];
  value: Json;
  parts?: Tree[];
}

export interface Witness {
  law: string;
  kernel: string;
  /** Those of the field that is folded. */
  elements: Json[];
  /** How many like each element there are, where they are too many to be listed. */
  counts?: Json[];
  /** Those of the other inputs. */
  inputs: Record<string, Json>;
  params: Record<string, Json>;
  left: Tree;
  right: Tree;
  /** The parts of the value that differ, as "place" or "sums[2].x". */
  differing: string[];
  text: string;
}

/** What a kernel must be bound to, where neither an example nor an earlier run says it. */
export interface Need {
  name: string;
  kind: "input" | "memory" | "param";
  type: string;
}

export interface RunArguments {
  uri: string;
  kernel: string;
  example?: string;
  backend?: string;
  values?: Record<string, string>;
  /** Whether neither an example nor the last run gives values: they are asked for. */
  ask?: boolean;
  params?: Record<string, Json>;
  domain?: number[];
  quick?: boolean;
  /** Whether the pictures of a quick run are to be files. */
  pictureFiles?: boolean;
}

export type Shown = "ir" | "llvm" | "wgsl" | "smt";
