import type { FromResults, ShownOutput } from "../messages.ts";
import type { JsonNumber } from "../protocol.ts";
import { button, make } from "./dom.ts";
import { formatNumber, formatShape } from "./format.ts";
import { post } from "./host.ts";
import { ValuesTable } from "./pages.ts";
import { Picture } from "./picture.ts";
import { Plot } from "./plot.ts";
import { summaryTable } from "./summary.ts";

/** One output or memory, with what suits it: picture, plot, table or hex. */
export class OutputCard {
  readonly element: HTMLElement;
  private output: ShownOutput;
  private main: Picture | Plot | ValuesTable | undefined;
  private readonly details: HTMLElement;
  private readonly trouble = make("span", { role: "alert" });

  constructor(output: ShownOutput) {
    this.output = output;
    this.details = make("div");
    this.element = make("section", { className: "output", ariaLabel: `${output.kind} ${output.name}` });
    const title = make("h2", {}, output.name, make("small", {}, ` ${output.type}, ${formatShape(output.shape)}`));
    this.element.append(title, this.body(output), this.details, this.exports());
    this.showDetails(output);
  }

  /** Whether a new result can be shown by this card as it is. */
  fits({ name, type, view, shape, leaves }: ShownOutput): boolean {
    const own = this.output;
    return (
      name === own.name &&
      type === own.type &&
      view === own.view &&
      namesOf(leaves) === namesOf(own.leaves) &&
      (view === "plot" || shape.join() === own.shape.join())
    );
  }

  update(output: ShownOutput): void {
    this.output = output;
    this.main?.update(output);
    if (output.hex !== undefined) this.element.querySelector("pre")?.replaceChildren(output.hex);
    this.showDetails(output);
  }

  /** Draws in the colours of another theme. */
  restyle(): void {
    if (this.main instanceof Plot) this.main.restyle();
    this.showDetails(this.output);
  }

  /** A picture on the way to another one: only what is seen at once. */
  frame(output: ShownOutput): void {
    if (this.main instanceof Picture) this.main.frame(output);
    else this.main?.update(output);
  }

  private body(output: ShownOutput): HTMLElement {
    if (output.shape.includes(0)) return make("p", {}, "no elements");
    if (output.view === "picture") return (this.main = new Picture(output)).element;
    if (output.view === "plot") return (this.main = new Plot(output)).element;
    if (output.view === "hex" && output.hex !== undefined) return make("pre", { tabIndex: 0 }, output.hex);
    this.main = new ValuesTable(output);
    return this.main.element;
  }

  private showDetails({ summary, difference }: ShownOutput): void {
    this.details.replaceChildren();
    if (difference) {
      const { changed, largest, image } = difference;
      this.details.append(make("p", { className: "difference" }, differenceText(changed, largest)));
      if (image) this.details.append(folded("Difference", () => differencePicture(this.output, image)));
    }
    if (summary && this.output.view !== "value" && this.output.view !== "table")
      this.details.append(summaryTable(summary));
  }

  private exports(): HTMLElement {
    const bar = make("div", { className: "toolbar" }, make("span", {}, "Save as"));
    if (this.main instanceof Picture) {
      const picture = this.main;
      bar.append(button("PNG", () => void this.savePng(picture), `Save ${this.output.name} as PNG`));
    }
    if (this.output.leaves.length > 0) {
      bar.append(
        button(
          "CSV",
          () => {
            this.save("csv");
          },
          `Save ${this.output.name} as CSV`,
        ),
      );
      bar.append(
        button(
          "NPY",
          () => {
            this.save("npy");
          },
          `Save ${this.output.name} as NPY`,
        ),
      );
    }
    bar.append(this.trouble);
    return bar;
  }

  private save(format: "png" | "csv" | "npy", png?: Uint8Array): void {
    post({ type: "export", output: this.output.name, format, ...(png && { png }) } satisfies FromResults);
  }

  private async savePng(picture: Picture): Promise<void> {
    this.trouble.textContent = "";
    try {
      this.save("png", await picture.png());
    } catch (error) {
      this.trouble.textContent = String(error);
    }
  }
}

function namesOf(leaves: ShownOutput["leaves"]): string {
  return leaves.map(({ name }) => name).join();
}

/** How far apart numbers are says nothing where NaN came or went. */
function differenceText(changed: number, largest: JsonNumber): string {
  if (changed === 0) return "Same as in the run before.";
  const elements = changed === 1 ? "1 element differs" : `${changed} elements differ`;
  const apart = typeof largest === "number" ? `, by up to ${formatNumber(largest)}` : "";
  return `${elements} from the run before${apart}.`;
}

function differencePicture(output: ShownOutput, image: NonNullable<ShownOutput["image"]>): HTMLElement {
  const { name, type, kind, view, shape } = output;
  return new Picture({ name: `${name}, difference`, type, kind, view, shape, leaves: [], image }).element;
}

/** Something that is made when it is unfolded. */
function folded(title: string, build: () => HTMLElement): HTMLElement {
  const details = make("details", {}, make("summary", {}, title));
  details.addEventListener(
    "toggle",
    () => {
      if (details.open) details.append(build());
    },
    { once: true },
  );
  return details;
}
