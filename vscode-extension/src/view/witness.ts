import type { FromWitness, ToWitness } from "../messages.ts";
import type { Json, Tree, Witness } from "../protocol.ts";
import { button, make, table } from "./dom.ts";
import { post } from "./host.ts";

/** A value on one line, as the language writes it. */
function valueText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{ ${Object.entries(value)
      .map(([name, part]) => `${name}: ${valueText(part)}`)
      .join(", ")} }`;
  }
  return String(value);
}

/** A value as a list of its fields, those that differ marked. */
function valueElement(value: Json, differing: readonly string[]): HTMLElement {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return make("code", { className: differing.length > 0 ? "differs" : "" }, valueText(value));
  }
  const fields = Object.entries(value).map(([name, part]) => {
    const differs = differing.some(
      (path) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
    );
    return make("code", { className: differs ? "differs" : "" }, `${name}: ${valueText(part)}`);
  });
  return make("span", { className: "fields" }, ...fields);
}

/** A tree of merges as nested lists, the root first. */
function treeElement({ text, value, parts = [] }: Tree, differing: readonly string[]): HTMLElement {
  const item = make("li", {}, make("b", {}, text), " = ", valueElement(value, differing));
  if (parts.length > 0) item.append(make("ul", {}, ...parts.map((part) => treeElement(part, []))));
  return item;
}

/** The names that a tree gives to elements. */
function namesIn({ text, elements, parts }: Tree): Map<number, string> {
  if (!parts?.length) return new Map(elements.map((element) => [element, text]));
  return new Map(parts.flatMap((part) => [...namesIn(part)]));
}

function valuesTable(head: string, values: Record<string, Json>): HTMLElement[] {
  const rows = Object.entries(values).map(([name, value]) => [name, valueText(value)]);
  return rows.length > 0 ? [table([head, "value"], rows, `${head}s`)] : [];
}

function show(main: HTMLElement, witness: Witness): void {
  const { kernel, law, elements, counts, inputs, params, left, right, differing, text } = witness;
  const names = namesIn(left);
  const rows = elements.map((value, i) => [
    names.get(i) ?? String(i),
    valueText(value),
    ...(counts ? [valueText(counts[i] ?? 1)] : []),
  ]);
  const tree = (side: Tree, label: string): HTMLElement =>
    make("section", { className: "tree", ariaLabel: label }, make("ul", {}, treeElement(side, differing)));
  main.replaceChildren(
    make("h1", {}, `${kernel}: merge is not ${law}`),
    make(
      "p",
      { className: "error" },
      `The two results differ${differing.some(Boolean) ? ` in ${differing.join(", ")}` : ""}.`,
    ),
    table(["element", "value", ...(counts ? ["how many like it"] : [])], rows, "elements"),
    ...valuesTable("input", inputs),
    ...valuesTable("param", params),
    make("div", { className: "outputs" }, tree(left, "The one way"), tree(right, "The other way")),
    make("details", {}, make("summary", {}, "As text"), make("pre", { tabIndex: 0 }, text)),
    make(
      "div",
      { className: "toolbar" },
      ...(counts
        ? [] // an example does not hold so many elements
        : [
            button("Save as Example", () => {
              send({ type: "save", kernel, law });
            }),
          ]),
      button("Show Source", () => {
        send({ type: "reveal", kernel });
      }),
    ),
  );
}

function showVerdicts(main: HTMLElement, message: Extract<ToWitness, { type: "verdicts" }>): void {
  const { kernel, verdicts, findings } = message;
  const classes: Record<string, string> = { proved: "good", refuted: "error", unknown: "warning" };
  main.replaceChildren(
    make("h1", {}, `${kernel}: the laws of its merge`),
    ...verdicts.map(({ state, text }) => make("p", { className: classes[state] ?? "" }, text)),
    ...findings.map((text) => make("pre", { tabIndex: 0 }, text)),
    make(
      "div",
      { className: "toolbar" },
      button("Show Source", () => {
        send({ type: "reveal", kernel });
      }),
    ),
  );
}

function send(message: FromWitness): void {
  post(message);
}

const main = document.querySelector<HTMLElement>("#main");
if (main) {
  window.addEventListener("message", ({ data }: MessageEvent<ToWitness>) => {
    if (data.type === "witness") show(main, data.witness);
    else showVerdicts(main, data);
  });
  send({ type: "ready" });
}
