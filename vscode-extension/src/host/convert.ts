// From the server's results to what the view shows: pictures as bytes, numbers as arrays.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Image8, ShownDifference, ShownOutput, ShownPart, ShownResult } from "../messages.ts";
import type { Difference, JsonNumber, Leaf, Output, Part, Preview, Result } from "../protocol.ts";

export function shownResult(result: Result, leaves: ReadonlyMap<string, readonly Leaf[]>): ShownResult {
  return {
    kernel: result.kernel,
    example: result.example ?? null,
    run: result.run,
    backend: result.backend ?? "",
    fallback: result.fallback ?? null,
    ...(result.seconds && { seconds: result.seconds }),
    outputs: result.outputs.map((output) => shownOutput(output, leaves.get(output.name) ?? [])),
    expectations: result.expectations ?? [],
    ...(result.error && { error: result.error }),
    params: result.params ?? [],
  };
}

export function shownOutput(output: Output, leaves: readonly Leaf[]): ShownOutput {
  const { name, type, kind, view, shape, summary, preview, plot, parts, hex, difference } = output;
  return {
    name,
    type,
    kind,
    view,
    shape,
    leaves: [...leaves],
    ...(summary && { summary }),
    ...(preview && { image: image(preview) }),
    ...(plot && { plot: { low: numbers(plot.low), high: numbers(plot.high) } }),
    ...(parts && { parts: shownParts(parts) }),
    ...(hex !== undefined && { hex }),
    ...(difference && { difference: shownDifference(difference) }),
  };
}

function shownParts(parts: readonly Part[]): ShownPart[] {
  return parts.flatMap(({ name, preview }) => (preview ? [{ name, image: image(preview) }] : []));
}

function shownDifference({ changed, largest, preview }: Difference): ShownDifference {
  return { changed, largest, ...(preview && { image: image(preview) }) };
}

/** A file is read without waiting: it is small, and each wait costs as much as the reading. */
function image({ data, file, low, high, encoding, ...rest }: Preview): Image8 {
  const bytes = file === undefined ? Buffer.from(data ?? "", "base64") : readFileSync(fileURLToPath(file));
  return {
    ...rest,
    layer: rest.layer,
    low: Number(low),
    high: Number(high),
    photo: encoding === "srgb",
    bytes: plainBytes(bytes),
  };
}

/** The bytes as an array that goes to a page as it is; a Buffer would be written as text. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function numbers(values: readonly JsonNumber[]): Float64Array {
  return Float64Array.from(values, Number);
}
