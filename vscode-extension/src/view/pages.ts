import type { ShownOutput } from "../messages.ts";
import { button, make, table } from "./dom.ts";
import { formatLeaf } from "./format.ts";
import { askRegion } from "./host.ts";

const ROWS = 50;
const MOST_COLUMNS = 32;

/** The values themselves: a small grid of numbers as it lies, all else a page of elements at a time. */
export class ValuesTable {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private readonly where: HTMLElement;
  private output: ShownOutput;
  private first = 0;

  constructor(output: ShownOutput) {
    this.output = output;
    this.body = make("div", {
      className: "scroll",
      tabIndex: 0,
      role: "region",
      ariaLabel: `values of ${output.name}`,
    });
    this.where = make("span", { ariaLive: "polite" });
    const turn = (pages: number) => (): void => {
      this.turn(pages);
    };
    this.element = make("div", {}, this.body);
    if (this.count() > ROWS && !isSmallGrid(output)) {
      const bar = make(
        "div",
        { className: "toolbar" },
        button("‹", turn(-1), "Page before"),
        button("›", turn(1), "Next page"),
        this.where,
      );
      this.element.prepend(bar);
    }
    this.update(output);
  }

  update(output: ShownOutput): void {
    this.output = output;
    this.first = Math.min(this.first, Math.max(0, this.count() - 1));
    if (output.leaves.length > 0) void (isSmallGrid(output) ? this.fetchGrid() : this.fetch());
  }

  private count(): number {
    return this.output.shape.reduce((product, length) => product * length, 1);
  }

  private turn(pages: number): void {
    const next = this.first + pages * ROWS;
    if (next < 0 || next >= this.count()) return;
    this.first = next;
    void this.fetch();
  }

  /** A row of the table for a row of the grid. */
  private async fetchGrid(): Promise<void> {
    const { output } = this;
    const [leaf] = output.leaves;
    const { width, height } = sizeOf(output);
    const found = await askRegion({ output: output.name, x: 0, y: 0, z: 0, width, height, step: 1 });
    if (!found || !leaf || output !== this.output) return;
    const columns = Array.from({ length: width }, (_, x) => x);
    const rows = Array.from({ length: height }, (_, y) => [
      String(y),
      ...columns.map((x) => formatLeaf(leaf, found.values[y * width + x])),
    ]);
    this.show(["y \\ x", ...columns.map(String)], rows);
  }

  private show(head: string[], rows: string[][]): void {
    const { name, type } = this.output;
    this.body.replaceChildren(table(head, rows, `${name}: ${type}`));
  }

  /** Elements are numbered row by row, so a page may hold the end of one row and the start of the next. */
  private async fetch(): Promise<void> {
    const { output, first } = this;
    const { width, height } = sizeOf(output);
    const last = Math.min(first + ROWS, this.count());
    const shown = output.leaves.slice(0, MOST_COLUMNS);
    const rows: string[][] = [];
    for (let at = first; at < last;) {
      const x = at % width;
      const y = Math.floor(at / width) % height;
      const z = Math.floor(at / (width * height));
      const length = Math.min(width - x, last - at);
      const found = await askRegion({ output: output.name, x, y, z, width: length, height: 1, step: 1 });
      if (!found) return;
      for (let i = 0; i < length; i++) {
        const place = [x + i, y, z].slice(0, output.shape.length).join(", ");
        rows.push([place, ...shown.map((leaf, j) => formatLeaf(leaf, found.values[i * found.leaves + j]))]);
      }
      at += length;
    }
    if (output !== this.output || first !== this.first) return;
    const names = shown.map(({ name }) => name || "value");
    this.where.textContent = `${first} to ${last - 1} of ${this.count()}`;
    this.show([output.shape.length === 1 ? "index" : "coord", ...names], rows);
  }
}

/** Whether a table can have a grid's own rows and columns. */
function isSmallGrid(output: ShownOutput): boolean {
  const { width, height } = sizeOf(output);
  return output.shape.length === 2 && output.leaves.length === 1 && width <= MOST_COLUMNS && height <= ROWS;
}

function sizeOf({ shape }: ShownOutput): { width: number; height: number } {
  const [width = 1, height = 1] = [...shape].reverse();
  return { width, height };
}
