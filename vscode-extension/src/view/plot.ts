import uPlot from "uplot";
import type { ShownOutput } from "../messages.ts";
import { button, labelled, make, select, themeColor } from "./dom.ts";
import { formatNumber } from "./format.ts";
import { askBuckets } from "./host.ts";
import { tickStep, ticks } from "./ticks.ts";

const HEIGHT = 260;
/** Pixels that the longest label of an axis takes, such as 1234567 or -1.25e+38. */
const LABEL_WIDTH = 72;
const LABEL_HEIGHT = 30;
const MOST_BUCKETS = 2048;

const LABELS: uPlot.Axis = {
  incrs: (_chart, _axis, low, high, length, space) => [tickStep(high - low, Math.floor(length / space))],
  splits: (_chart, _axis, low, high, step) => ticks(low, high, step),
  values: (_chart, splits) => splits.map((split) => formatNumber(split)),
};

/** Rows as a plot of the least and largest number of each stretch; dragging zooms in, a double click zooms out. */
export class Plot {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private readonly readout = make("output", { className: "readout", ariaLive: "polite" });
  private output: ShownOutput;
  private chart: uPlot | undefined;
  private leaf = 0;
  /** The elements in sight. */
  private start = 0;
  private end: number;
  /** The place in sight, of those that are drawn, that the keyboard has gone to. */
  private cursor: number | undefined;

  constructor(output: ShownOutput) {
    this.output = output;
    this.end = this.length();
    this.body = make("div", { className: "plot", tabIndex: 0, role: "application", ariaRoleDescription: "plot" });
    this.element = make("div", {}, this.controls(), this.body, this.readout);
    this.body.addEventListener("keydown", (event) => {
      this.key(event);
    });
    new ResizeObserver(() => this.chart?.setSize({ width: this.width(), height: HEIGHT })).observe(this.body);
    this.update(output);
  }

  update(output: ShownOutput): void {
    if (this.length() !== (output.shape[0] ?? 0)) {
      this.start = 0;
      this.end = output.shape[0] ?? 0;
    }
    this.output = output;
    this.body.ariaLabel = `${output.name}: plot of ${this.length()} elements. Arrow keys move the cursor, plus and minus zoom, 0 shows all.`;
    if (output.plot && this.start === 0 && this.end === this.length()) this.draw(output.plot.low, output.plot.high);
    else if (output.leaves.length > 0) void this.fetch();
  }

  /** Draws in the colours of another theme. */
  restyle(): void {
    if (!this.chart) return;
    const { data } = this.chart;
    this.chart.destroy();
    this.chart = new uPlot(this.options(), data, this.body);
  }

  private length(): number {
    return this.output.shape[0] ?? 0;
  }

  private width(): number {
    return Math.max(200, this.body.clientWidth);
  }

  private controls(): HTMLElement {
    const { leaves } = this.output;
    const parts: HTMLElement[] = [
      button(
        "+",
        () => {
          this.zoom(0.5);
        },
        "Zoom in",
      ),
      button(
        "−",
        () => {
          this.zoom(2);
        },
        "Zoom out",
      ),
      button("All", () => {
        this.look(0, this.length());
      }),
    ];
    if (leaves.length > 1) {
      parts.push(
        labelled(
          "part",
          select(
            leaves.map(({ name }) => name),
            (i) => {
              this.leaf = i;
              void this.fetch();
            },
          ),
        ),
      );
    }
    return make("div", { className: "toolbar" }, ...parts);
  }

  private key(event: KeyboardEvent): void {
    const far = event.shiftKey ? 10 : 1;
    if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.look(0, this.length());
    else if (event.key === "ArrowLeft") this.moveCursor(-far);
    else if (event.key === "ArrowRight") this.moveCursor(far);
    else return;
    event.preventDefault();
  }

  /** Moves the cursor, and at the ends of what is in sight what is in sight. */
  private moveCursor(by: number): void {
    const count = this.chart?.data[0].length ?? 0;
    const wanted = this.cursor === undefined ? 0 : this.cursor + by;
    this.cursor = Math.max(0, Math.min(wanted, count - 1));
    if (wanted === this.cursor) this.showCursor();
    else this.look(this.start + by * this.stretch(count), this.end + by * this.stretch(count));
  }

  private showCursor(): void {
    const { chart, cursor } = this;
    if (!chart || cursor === undefined) return;
    const [xs, high, low] = chart.data;
    const [from, most, least] = [xs[cursor], high?.[cursor], low?.[cursor]];
    if (from === undefined) return;
    chart.setCursor({ left: chart.valToPos(from, "x"), top: 0 });
    const value = most === least ? formatNumber(most) : `${formatNumber(least)} to ${formatNumber(most)}`;
    this.readout.value = `(${Math.floor(from)})  ${value}`;
  }

  /** How many elements each of those that are drawn stands for. */
  private stretch(count: number): number {
    return (this.end - this.start) / Math.max(1, count);
  }

  private zoom(factor: number): void {
    const middle = (this.start + this.end) / 2;
    const half = Math.max(2, ((this.end - this.start) * factor) / 2);
    this.look(middle - half, middle + half);
  }

  private look(start: number, end: number): void {
    const span = Math.min(Math.max(4, end - start), this.length());
    this.start = Math.floor(Math.min(Math.max(0, start), this.length() - span));
    this.end = Math.ceil(this.start + span);
    void this.fetch();
  }

  private async fetch(): Promise<void> {
    const { start, end, output } = this;
    const found = await askBuckets({ output: output.name, leaf: this.leaf, start, end, buckets: MOST_BUCKETS });
    if (found && output === this.output && start === this.start && end === this.end) this.draw(found.low, found.high);
  }

  private draw(low: Float64Array, high: Float64Array): void {
    const stretch = this.stretch(low.length);
    const xs = Float64Array.from(low, (_, i) => this.start + i * stretch);
    const gaps = (numbers: Float64Array): (number | null)[] =>
      Array.from(numbers, (n) => (Number.isFinite(n) ? n : null));
    const data: uPlot.AlignedData = [xs, gaps(high), gaps(low)];
    if (this.chart) this.chart.setData(data);
    else this.chart = new uPlot(this.options(), data, this.body);
  }

  private options(): uPlot.Options {
    const text = themeColor("foreground", "#888");
    const grid = `color-mix(in srgb, ${text} 18%, transparent)`;
    const line = themeColor("charts-blue", "#3794ff");
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const across = { ...axis, space: LABEL_WIDTH, ...LABELS };
    const up = { ...axis, space: LABEL_HEIGHT, size: LABEL_WIDTH, ...LABELS };
    const value = (_: uPlot, number: number | null): string => formatNumber(number);
    return {
      width: this.width(),
      height: HEIGHT,
      scales: { x: { time: false } },
      axes: [across, up],
      series: [
        { label: "element", value },
        { label: "high", stroke: line, width: 1, value },
        { label: "low", stroke: line, width: 1, value },
      ],
      bands: [{ series: [1, 2], fill: `color-mix(in srgb, ${line} 30%, transparent)` }],
      cursor: { y: false, drag: { x: true, y: false, setScale: false } },
      hooks: {
        draw: [
          () => {
            this.showCursor();
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width < 3) return;
            this.look(chart.posToVal(left, "x"), chart.posToVal(left + width, "x"));
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        ready: [
          (chart) => {
            chart.over.addEventListener("dblclick", () => {
              this.look(0, this.length());
            });
          },
        ],
      },
    };
  }
}
