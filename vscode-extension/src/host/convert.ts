// From the server's results to what the view shows: pictures as bytes, numbers as arrays.
import type { Image8, ShownOutput, ShownResult } from "../messages.ts";
import type { JsonNumber, Output, Preview, Result } from "../protocol.ts";

export function shownResult(result: Result, leaves: ReadonlyMap<string, readonly string[]>): ShownResult {
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

export function shownOutput(output: Output, leaves: readonly string[]): ShownOutput {
  const { name, type, kind, view, shape, summary, preview, plot, hex, difference } = output;
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
    ...(hex !== undefined && { hex }),
    ...(difference && {
      difference: {
        changed: difference.changed,
        largest: difference.largest,
        ...(difference.preview && { image: image(difference.preview) }),
      },
    }),
  };
}

function image({ data, low, high, encoding, ...rest }: Preview): Image8 {
  return {
    ...rest,
    layer: rest.layer,
    low: Number(low),
    high: Number(high),
    photo: encoding === "srgb",
    bytes: new Uint8Array(Buffer.from(data, "base64")),
  };
}

function numbers(values: readonly JsonNumber[]): Float64Array {
  return Float64Array.from(values, Number);
}
