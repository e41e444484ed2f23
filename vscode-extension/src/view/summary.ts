import type { Histogram, Summary } from "../protocol.ts";
import { fittedContext, make, table, themeColor } from "./dom.ts";
import { formatNumber } from "./format.ts";

/** Least, largest and mean numbers as a table, with a histogram where there is one. */
export function summaryTable(summary: Summary): HTMLElement {
  const parts = summary.fields ?? [summary];
  const strange = parts.some(({ nan = 0, infinite = 0 }) => nan + infinite > 0);
  const head = ["", "min", "max", "mean", ...(strange ? ["NaN", "infinite"] : [])];
  const rows = parts.map((part) => [
    part.name ?? "",
    formatNumber(part.min),
    formatNumber(part.max),
    formatNumber(part.mean),
    ...(strange ? [String(part.nan ?? 0), String(part.infinite ?? 0)] : []),
  ]);
  const element = make("div", { className: "summary" }, table(head, rows, "Summary"));
  for (const part of parts) {
    if (part.histogram) element.append(histogram(part.histogram, part.name ?? ""));
  }
  return element;
}

function histogram({ low, high, counts }: Histogram, name: string): HTMLElement {
  const label = `Histogram${name && ` of ${name}`}, ${formatNumber(low)} to ${formatNumber(high)}`;
  const canvas = make("canvas", { className: "histogram", role: "img", ariaLabel: label, title: label });
  const most = Math.max(1, ...counts);
  const draw = (): void => {
    const context = fittedContext(canvas);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = themeColor("charts-blue", "#3794ff");
    const width = canvas.width / counts.length;
    for (const [i, count] of counts.entries()) {
      const height = (count / most) * canvas.height;
      context.fillRect(i * width, canvas.height - height, Math.max(1, width - 1), height);
    }
  };
  new ResizeObserver(draw).observe(canvas);
  return make("figure", {}, canvas, make("figcaption", {}, label));
}
