import type { ShownOutput } from "../messages.ts";
import { button, make, table } from "./dom.ts";
import { formatLeaf } from "./format.ts";
import { askRegion } from "./host.ts";

const ROWS = 50;
const MOST_COLUMNS = 32;

/** The values themselves, a page of elements at a time. */
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
    if (this.count() > ROWS) {
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
    if (output.leaves.length > 0) void this.fetch();
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

  /** Elements are numbered row by row, so a page may hold the end of one row and the start of the next. */
  private async fetch(): Promise<void> {
    const { output, first } = this;
    const [width = 1, height = 1] = [...output.shape].reverse();
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
    this.body.replaceChildren(table(["place", ...names], rows, `${output.name}: ${output.type}`));
  }
}
