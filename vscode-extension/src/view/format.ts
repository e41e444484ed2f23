// Numbers as people read them.
import type { JsonNumber } from "../protocol.ts";

/** Six significant digits; whole numbers in full. */
export function formatNumber(value: JsonNumber | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (Number.isInteger(value)) return Object.is(value, -0) ? "-0" : String(value);
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e7) return String(Number(value.toPrecision(6)));
  return value.toExponential(4).replace(/\.?0+e/, "e");
}

/** Seconds in a unit that gives two or three digits before the point. */
export function formatSeconds(seconds: number): string {
  if (seconds < 1e-3) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 1) return `${(seconds * 1e3).toPrecision(3)} ms`;
  return `${seconds.toPrecision(3)} s`;
}

/** A shape as people say it: width first. */
export function formatShape(shape: readonly number[]): string {
  if (shape.length === 1) return `${shape[0] ?? 0} ${shape[0] === 1 ? "element" : "elements"}`;
  return [...shape].reverse().join(" × ");
}

/** An element's numbers with their names. */
export function formatElement(leaves: readonly string[], numbers: ArrayLike<number>): string {
  const [first] = leaves;
  if (leaves.length === 1 && !first) return formatNumber(numbers[0]);
  return leaves.map((leaf, i) => `${leaf} ${formatNumber(numbers[i])}`).join("  ");
}
