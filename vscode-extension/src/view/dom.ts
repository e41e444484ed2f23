// Small helpers to build pages with.

type Child = Node | string;
type Properties<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], "dataset" | "style" | "children">
> & { role?: string };

/** Makes an element with properties and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function button(title: string, pressed: () => void, label?: string): HTMLButtonElement {
  return make("button", { type: "button", onclick: pressed, ...(label && { ariaLabel: label, title: label }) }, title);
}

/** A control with its name before it. */
export function labelled(name: string, control: HTMLElement): HTMLLabelElement {
  return make("label", {}, make("span", {}, name), control);
}

export function select(options: readonly string[], chosen: (index: number) => void): HTMLSelectElement {
  const made = make("select", {}, ...options.map((text) => make("option", {}, text)));
  made.onchange = () => {
    chosen(made.selectedIndex);
  };
  return made;
}

export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  caption: string,
): HTMLTableElement {
  return make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", {}, text))))),
  );
}

/** A canvas's context, with the canvas as large in device pixels as it is on the screen. */
export function fittedContext(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  const height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this page cannot draw");
  return context;
}

/** Calls back whenever the editor has another theme. */
export function onTheme(changed: () => void): void {
  new MutationObserver(changed).observe(document.body, { attributeFilter: ["class", "data-vscode-theme-id"] });
}

/** A colour of the editor's theme. */
export function themeColor(name: string, otherwise: string): string {
  return getComputedStyle(document.body).getPropertyValue(`--vscode-${name}`).trim() || otherwise;
}
