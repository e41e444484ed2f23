import type { Json, Param } from "../protocol.ts";
import { button, labelled, make } from "./dom.ts";

/** `quick`: while a slider is dragged, only previews are wanted. */
export type Changed = (params: Record<string, Json>, quick: boolean) => void;

/** Params as controls: numbers with a range as sliders, other numbers as fields, Bools as boxes. */
export class Params {
  readonly element: HTMLElement;
  private params: readonly Param[] = [];
  private values: Record<string, Json> = {};
  private readonly changed: Changed;
  private shape = "";

  constructor(changed: Changed) {
    this.changed = changed;
    this.element = make("section", { className: "params", ariaLabel: "Params" });
  }

  /** Takes a result's params. Controls that are there already stay, so that a drag goes on. */
  update(params: readonly Param[]): void {
    const shape = JSON.stringify(params.map(({ name, type, low, high }) => [name, type, low, high]));
    this.params = params;
    if (shape === this.shape) return;
    this.shape = shape;
    this.values = Object.fromEntries(params.map(({ name, value }) => [name, value]));
    this.build();
  }

  private build(): void {
    const rows = this.params.flatMap((param) => {
      const row = this.row(param);
      return row ? [row] : [];
    });
    this.element.replaceChildren(...rows);
    this.element.hidden = rows.length === 0;
    if (rows.length > 0) {
      this.element.append(
        button("Reset params", () => {
          this.reset();
        }),
      );
    }
  }

  private reset(): void {
    for (const { name, value, default: otherwise } of this.params) this.values[name] = otherwise ?? value;
    this.params = this.params.map((param) => ({ ...param, value: this.values[param.name] ?? null }));
    this.build();
    this.changed(this.values, false);
  }

  private row(param: Param): HTMLElement | undefined {
    const value = this.values[param.name];
    if (typeof value === "boolean") return this.box(param, value);
    const parts = Array.isArray(value) ? value : [value];
    if (!parts.every((part) => typeof part === "number")) return undefined;
    const controls = parts.map((part, i) => this.numberControl(param, part, Array.isArray(value) ? i : undefined));
    return make("div", { className: "param" }, ...controls);
  }

  private box(param: Param, value: boolean): HTMLElement {
    const box = make("input", { type: "checkbox", checked: value });
    box.onchange = () => {
      this.set(param.name, undefined, box.checked, false);
    };
    return labelled(param.name, box);
  }

  private numberControl(param: Param, value: number, part: number | undefined): HTMLElement {
    const low = endOf(param.low, part);
    const high = endOf(param.high, part);
    const whole = param.type === "Int";
    const field = make("input", {
      type: "number",
      className: "number",
      value: String(shown(value)),
      step: whole ? "1" : "any",
    });
    const name = part === undefined ? param.name : `${param.name}.${"xyzw".charAt(part)}`;
    if (low === undefined || high === undefined) {
      field.onchange = () => {
        if (Number.isFinite(field.valueAsNumber)) this.set(param.name, part, field.valueAsNumber, false);
      };
      return labelled(name, field);
    }
    const slider = make("input", {
      type: "range",
      min: String(low),
      max: String(high),
      step: field.step, // a step of its own would move the value that is set to the next one
      value: String(value),
    });
    slider.dataset.param = name;
    slider.oninput = () => {
      field.value = String(shown(slider.valueAsNumber));
      this.set(param.name, part, slider.valueAsNumber, true);
    };
    slider.onchange = () => {
      this.set(param.name, part, slider.valueAsNumber, false);
    };
    field.min = slider.min;
    field.max = slider.max;
    field.onchange = () => {
      if (!field.checkValidity() || !Number.isFinite(field.valueAsNumber)) {
        field.reportValidity();
        return;
      }
      slider.valueAsNumber = field.valueAsNumber;
      this.set(param.name, part, field.valueAsNumber, false);
    };
    field.ariaLabel = `${name} as a number`;
    return make("div", { className: "slider" }, labelled(name, slider), field);
  }

  private set(name: string, part: number | undefined, value: Json, quick: boolean): void {
    const old = this.values[name];
    this.values[name] = part !== undefined && Array.isArray(old) ? old.with(part, value) : value;
    this.changed({ ...this.values }, quick);
  }
}

/** An end of a range, for one number of a vector too. */
function endOf(end: Json | undefined, part: number | undefined): number | undefined {
  const value = Array.isArray(end) && part !== undefined ? end[part] : end;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function shown(value: number): number {
  return Number(value.toPrecision(6));
}
