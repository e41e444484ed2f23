// Numbers as people read them.
import type { JsonNumber, Leaf } from "../protocol.ts";

/** Six significant digits; whole numbers in full, as long as each of their digits means something. */
export function formatNumber(value: JsonNumber | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? "-0" : String(value);
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

/** One of an element's numbers, which may stand for a Bool or a variant of an enum. */
export function formatLeaf({ type, variants }: Leaf, number: number | undefined): string {
  if (number === undefined) return formatNumber(number);
  if (type === "Bool") return String(number !== 0);
  return variants?.[number] ?? formatNumber(number);
}

/** An element's numbers with their names. */
export function formatElement(leaves: readonly Leaf[], numbers: ArrayLike<number>): string {
  const [first] = leaves;
  if (leaves.length === 1 && first && !first.name) return formatLeaf(first, numbers[0]);
  return leaves.map((leaf, i) => `${leaf.name} ${formatLeaf(leaf, numbers[i])}`).join("  ");
}
