// From numbers to pixels.
import type { RegionValues } from "../messages.ts";

export interface Shading {
  low: number;
  high: number;
  /** The one leaf to show in grey; undefined: all, as colour where there are several. */
  channel: number | undefined;
  /** Light that is to be seen as a photograph: encoded as sRGB, with the fourth number as opacity. */
  photo: boolean;
}

const NAN_COLOR = [255, 0, 255] as const;

/** RGBA bytes of a region. NaN is magenta. */
export function shade(region: RegionValues, shading: Shading): Uint8ClampedArray<ArrayBuffer> {
  const { columns, rows, leaves, values } = region;
  const pixels = new Uint8ClampedArray(columns * rows * 4);
  const byte = byteOf(shading);
  const grey = shading.channel !== undefined || leaves === 1;
  const opaque = !shading.photo || leaves < 4 || grey;
  for (let pixel = 0, from = 0, to = 0; pixel < columns * rows; pixel++, from += leaves, to += 4) {
    for (let color = 0; color < 3; color++) {
      const leaf = grey ? (shading.channel ?? 0) : color;
      pixels[to + color] = leaf < leaves ? byte(values[from + leaf] ?? NaN) : 0;
    }
    pixels[to + 3] = opaque ? 255 : (values[from + 3] ?? 1) * 255;
    if (hasNaN(values, from, grey ? (shading.channel ?? 0) : 0, grey ? 1 : Math.min(3, leaves))) {
      pixels.set(NAN_COLOR, to);
      pixels[to + 3] = 255;
    }
  }
  return pixels;
}

/** Changes a grey preview's RGBA bytes, where 0 is `from.low` and 255 `from.high`, to another range. NaN stays magenta. */
export function relevel(
  pixels: Uint8ClampedArray,
  from: { low: number; high: number },
  to: { low: number; high: number },
): void {
  const byte = byteOf({ ...to, channel: 0, photo: false });
  const levels = Uint8ClampedArray.from({ length: 256 }, (_, level) =>
    byte(from.low + (level / 255) * (from.high - from.low)),
  );
  for (let at = 0; at < pixels.length; at += 4) {
    const isGrey = pixels[at] === pixels[at + 1];
    if (isGrey) pixels.fill(levels[pixels[at] ?? 0] ?? 0, at, at + 3);
  }
}

function hasNaN(values: ArrayLike<number>, from: number, leaf: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (Number.isNaN(values[from + leaf + i])) return true;
  return false;
}

function byteOf({ low, high, photo }: Shading): (value: number) => number {
  const span = high - low;
  return (value) => {
    const part = span > 0 ? (value - low) / span : value > low ? 1 : 0;
    return 255 * (photo ? encode(part) : part);
  };
}

/** The transfer function of sRGB. */
export function encode(light: number): number {
  if (light <= 0) return 0;
  return light <= 0.0031308 ? 12.92 * light : 1.055 * Math.min(light, 1) ** (1 / 2.4) - 0.055;
}
