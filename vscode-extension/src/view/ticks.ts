// Where an axis has its labels: uPlot's own has none beyond 1e32, which Floats go past.

/** 1, 2 or 5 times a power of ten: the least that cuts a span into at most so many parts. */
export function tickStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

/** The multiples of a step from `low` to `high`. */
export function ticks(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}
