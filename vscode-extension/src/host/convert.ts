// From the server's results to what the view shows: pictures as bytes, numbers as arrays.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Image8, ShownDifference, ShownOutput, ShownPart, ShownResult } from "../messages.ts";
import type { Difference, JsonNumber, Output, Part, Preview, Result } from "../protocol.ts";

export async function shownResult(
  result: Result,
  leaves: ReadonlyMap<string, readonly string[]>,
): Promise<ShownResult> {
  return {
    kernel: result.kernel,
    example: result.example ?? null,
    run: result.run,
    backend: result.backend ?? "",
    fallback: result.fallback ?? null,
    ...(result.seconds && { seconds: result.seconds }),
    outputs: await Promise.all(result.outputs.map((output) => shownOutput(output, leaves.get(output.name) ?? []))),
    expectations: result.expectations ?? [],
    ...(result.error && { error: result.error }),
    params: result.params ?? [],
  };
}

export async function shownOutput(output: Output, leaves: readonly string[]): Promise<ShownOutput> {
  const { name, type, kind, view, shape, summary, preview, plot, parts, hex, difference } = output;
  return {
    name,
    type,
    kind,
    view,
    shape,
    leaves: [...leaves],
    ...(summary && { summary }),
    ...(preview && { image: await image(preview) }),
    ...(plot && { plot: { low: numbers(plot.low), high: numbers(plot.high) } }),
    ...(parts && { parts: await shownParts(parts) }),
    ...(hex !== undefined && { hex }),
    ...(difference && { difference: await shownDifference(difference) }),
  };
}

async function shownParts(parts: readonly Part[]): Promise<ShownPart[]> {
  const drawn = parts.flatMap(({ name, preview }) => (preview ? [{ name, preview }] : []));
  return Promise.all(drawn.map(async ({ name, preview }) => ({ name, image: await image(preview) })));
}

async function shownDifference({ changed, largest, preview }: Difference): Promise<ShownDifference> {
  return { changed, largest, ...(preview && { image: await image(preview) }) };
}

async function image({ data, file, low, high, encoding, ...rest }: Preview): Promise<Image8> {
  return {
    ...rest,
    layer: rest.layer,
    low: Number(low),
    high: Number(high),
    photo: encoding === "srgb",
    bytes: plainBytes(file === undefined ? Buffer.from(data ?? "", "base64") : await readFile(fileURLToPath(file))),
  };
}

/** The bytes as an array that goes to a page as it is; a Buffer would be written as text. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function numbers(values: readonly JsonNumber[]): Float64Array {
  return Float64Array.from(values, Number);
}
