import uPlot from "uplot";
import type { ShownOutput } from "../messages.ts";
import { button, labelled, make, select, themeColor } from "./dom.ts";
import { formatNumber } from "./format.ts";
import { askBuckets } from "./host.ts";

const HEIGHT = 260;
const MOST_BUCKETS = 2048;

/** Rows as a plot of the least and largest number of each stretch; dragging zooms in, a double click zooms out. */
export class Plot {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private output: ShownOutput;
  private chart: uPlot | undefined;
  private leaf = 0;
  /** The elements in sight. */
  private start = 0;
  private end: number;

  constructor(output: ShownOutput) {
    this.output = output;
    this.end = this.length();
    this.body = make("div", { className: "plot", tabIndex: 0, role: "img" });
    this.element = make("div", {}, this.controls(), this.body);
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
    this.body.ariaLabel = `${output.name}: plot of ${this.length()} elements. Plus and minus zoom, arrow keys move, 0 shows all.`;
    if (output.plot && this.start === 0 && this.end === this.length()) this.draw(output.plot.low, output.plot.high);
    else if (output.leaves.length > 0) void this.fetch();
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
          select(leaves, (i) => {
            this.leaf = i;
            void this.fetch();
          }),
        ),
      );
    }
    return make("div", { className: "toolbar" }, ...parts);
  }

  private key(event: KeyboardEvent): void {
    const step = Math.max(1, Math.round((this.end - this.start) / 8));
    if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.look(0, this.length());
    else if (event.key === "ArrowLeft") this.look(this.start - step, this.end - step);
    else if (event.key === "ArrowRight") this.look(this.start + step, this.end + step);
    else return;
    event.preventDefault();
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
    const stretch = (this.end - this.start) / Math.max(1, low.length);
    const xs = Float64Array.from(low, (_, i) => this.start + i * stretch);
    const gaps = (numbers: Float64Array): (number | null)[] =>
      Array.from(numbers, (n) => (Number.isFinite(n) ? n : null));
    const data: uPlot.AlignedData = [xs, gaps(high), gaps(low)];
    if (this.chart) {
      this.chart.setData(data);
      return;
    }
    this.chart = new uPlot(this.options(), data, this.body);
  }

  private options(): uPlot.Options {
    const text = themeColor("foreground", "#888");
    const grid = themeColor("editorIndentGuide-background1", "#8884");
    const line = themeColor("charts-blue", "#3794ff");
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const value = (_: uPlot, number: number | null): string => formatNumber(number);
    return {
      width: this.width(),
      height: HEIGHT,
      scales: { x: { time: false } },
      axes: [axis, axis],
      series: [
        { label: "element", value },
        { label: "high", stroke: line, width: 1, value },
        { label: "low", stroke: line, width: 1, value },
      ],
      bands: [{ series: [1, 2], fill: `color-mix(in srgb, ${line} 30%, transparent)` }],
      cursor: { drag: { x: true, y: false, setScale: false } },
      hooks: {
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
