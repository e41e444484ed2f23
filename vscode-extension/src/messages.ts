// What the extension and its two views say to each other.
import type {
  Comparison,
  Difference,
  Expectation,
  Json,
  Leaf,
  Param,
  RunProblem,
  Summary,
  ViewKind,
  Witness,
} from "./protocol.ts";

/** A picture as its file's bytes, and what 0 and 255 stand for. */
export interface Image8 {
  bytes: Uint8Array;
  mime: string;
  width: number;
  height: number;
  low: number;
  high: number;
  channels: number;
  /** Encoded as sRGB, as photographs are. */
  photo: boolean;
  /** A pixel stands for `step` x `step` elements. */
  step: number;
  layer: number | undefined;
}

export interface ShownPart {
  name: string;
  image: Image8;
}

export interface ShownDifference extends Omit<Difference, "preview"> {
  image?: Image8;
}

export interface ShownOutput {
  name: string;
  type: string;
  kind: "output" | "memory";
  view: ViewKind;
  shape: number[];
  /** The numbers that an element consists of; empty where no values can be had. */
  leaves: Leaf[];
  summary?: Summary;
  image?: Image8;
  plot?: { low: Float64Array; high: Float64Array };
  /** Pictures of an element's parts, where it has none as a whole. */
  parts?: ShownPart[];
  hex?: string;
  difference?: ShownDifference;
}

export interface ShownResult {
  kernel: string;
  example: string | null;
  run: number;
  backend: string;
  fallback: string | null;
  seconds?: { compile: number; run: number };
  outputs: ShownOutput[];
  expectations: Expectation[];
  error?: RunProblem;
  params: Param[];
}

export interface ShownComparison extends Omit<Comparison, "outputs"> {
  outputs: ShownOutput[];
}

/** Elements `x`, `x + step`, … of the rows `y`, `y + step`, … of the layer `z`. */
export interface Region {
  output: string;
  x: number;
  y: number;
  z: number;
  width: number;
  height: number;
  step: number;
}

/** A region's numbers, row by row, the leaves of an element side by side. */
export interface RegionValues {
  columns: number;
  rows: number;
  leaves: number;
  values: Float32Array | Float64Array;
}

/** The least and the largest number of each of `buckets` equal parts of the elements `start` to `end`. */
export interface BucketsRequest {
  output: string;
  leaf: number;
  start: number;
  end: number;
  buckets: number;
}

export interface Buckets {
  low: Float64Array;
  high: Float64Array;
}

export type ToResults =
  | { type: "result"; result: ShownResult }
  | { type: "frame"; result: ShownResult }
  | { type: "comparison"; comparison: ShownComparison }
  | { type: "running"; kernel: string; example: string | null }
  | { type: "idle" }
  | { type: "skipped" }
  | { type: "failed"; message: string }
  | { type: "region"; id: number; region: RegionValues | null }
  | { type: "buckets"; id: number; buckets: Buckets | null };

export type FromResults =
  | { type: "ready" }
  | { type: "run"; params: Record<string, Json>; quick: boolean }
  | { type: "compare" }
  | { type: "reveal" }
  | { type: "region"; id: number; region: Region }
  | { type: "buckets"; id: number; request: BucketsRequest }
  | { type: "export"; output: string; format: "png" | "csv" | "npy"; png?: Uint8Array }
  | { type: "cancel" };

export type ToWitness =
  | { type: "witness"; witness: Witness }
  | {
      type: "verdicts";
      kernel: string;
      verdicts: { law: string; state: string; text: string }[];
      /** What is found of the laws, such as elements for which a step has no value. */
      findings: string[];
    };

export type FromWitness =
  { type: "ready" } | { type: "save"; kernel: string; law: string } | { type: "reveal"; kernel: string };
