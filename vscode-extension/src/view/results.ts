import type { FromResults, ShownComparison, ShownResult, ToResults } from "../messages.ts";
import type { Json } from "../protocol.ts";
import { button, make, onTheme, table } from "./dom.ts";
import { formatSeconds } from "./format.ts";
import { answered, post } from "./host.ts";
import { LatestWins } from "./latest.ts";
import { OutputCard } from "./output.ts";
import { Params } from "./params.ts";

/** The page: a head, what went wrong, params, outputs side by side. */
class ResultsPage {
  private readonly title = make("h1");
  private readonly facts = make("p", { className: "facts", role: "status" });
  private readonly cancel = button("Cancel", () => {
    send({ type: "cancel" });
  });
  private readonly notes = make("div", { className: "notes", ariaLive: "polite" });
  private readonly outputs = make("div", { className: "outputs" });
  private readonly params = new Params((params, quick) => {
    if (quick) {
      this.previews.submit(params);
    } else {
      this.previews.clear();
      send({ type: "run", params, quick });
    }
  });
  /** A few previews are on their way at once, for much of the time goes into the way. */
  private readonly previews = new LatestWins<Record<string, Json>>(3, (params) => {
    send({ type: "run", params, quick: true });
    return new Promise((answered) => this.asked.push(answered));
  });
  private readonly asked: (() => void)[] = [];
  private cards = new Map<string, OutputCard>();
  private shown = "";

  constructor(main: HTMLElement) {
    const bar = make(
      "div",
      { className: "toolbar" },
      button("Compare Backends", () => {
        send({ type: "compare" });
      }),
      button("Show Source", () => {
        send({ type: "reveal" });
      }),
      this.cancel,
    );
    this.cancel.hidden = true;
    main.append(this.title, this.facts, bar, this.notes, this.params.element, this.outputs);
    this.title.textContent = "No kernel has run yet";
    this.params.element.hidden = true;
  }

  take(message: ToResults): void {
    switch (message.type) {
      case "running":
        this.title.textContent = titleOf(message.kernel, message.example);
        this.working("running …");
        break;
      case "idle":
        this.working("cancelled");
        this.cancel.hidden = true;
        break;
      case "skipped":
        this.asked.shift()?.();
        break;
      case "failed":
        this.asked.shift()?.();
        this.cancel.hidden = true;
        this.facts.textContent = "failed";
        this.notes.replaceChildren(); // each step of a slider may fail
        this.note("error", message.message);
        break;
      case "result":
        this.result(message.result);
        break;
      case "frame":
        this.asked.shift()?.();
        this.frame(message.result);
        break;
      case "comparison":
        this.comparison(message.comparison);
        break;
      default:
        answered(message);
    }
  }

  /** Draws in the colours of another theme. */
  restyle(): void {
    for (const card of this.cards.values()) card.restyle();
  }

  private working(text: string): void {
    this.facts.textContent = text;
    this.cancel.hidden = false;
    this.notes.replaceChildren();
  }

  private result(result: ShownResult): void {
    this.cancel.hidden = true;
    this.title.textContent = titleOf(result.kernel, result.example);
    this.facts.textContent = factsOf(result);
    this.notes.replaceChildren();
    if (result.fallback) this.note("warning", result.fallback);
    if (result.error)
      this.note("error", `${result.error.code}: ${[result.error.message, ...(result.error.notes ?? [])].join("\n")}`);
    for (const { output, ok, message } of result.expectations) {
      this.note(
        ok ? "good" : "error",
        ok ? `${output} is what the example expects` : (message ?? `${output} is not what is expected`),
      );
    }
    const key = `${result.kernel} ${result.example ?? ""}`;
    if (key !== this.shown) this.cards.clear();
    this.shown = key;
    this.params.update(result.params);
    if (!result.error) this.show(result.outputs);
  }

  /** While a slider is dragged nothing but the outputs is drawn anew; times follow with the result. */
  private frame(result: ShownResult): void {
    this.notes.replaceChildren();
    if (result.error) this.note("error", result.error.message);
    for (const output of result.outputs) this.cards.get(output.name)?.frame(output);
  }

  private comparison(comparison: ShownComparison): void {
    const { kernel, same, message, seconds, outputs, fallbacks, error } = comparison;
    this.cancel.hidden = true;
    this.title.textContent = `${kernel}: backends compared`;
    this.facts.textContent = "";
    this.notes.replaceChildren();
    this.note(same ? "good" : "error", error ? `${error.code}: ${error.message}` : message);
    for (const fallback of Object.values(fallbacks ?? {})) if (fallback) this.note("warning", fallback);
    this.notes.append(
      table(
        ["backend", "seconds"],
        Object.entries(seconds).map(([name, time]) => [name, formatSeconds(time)]),
        "Time",
      ),
    );
    this.cards.clear();
    this.shown = "";
    this.show(outputs);
  }

  private show(outputs: ShownResult["outputs"]): void {
    const cards = new Map<string, OutputCard>();
    for (const output of outputs) {
      const old = this.cards.get(output.name);
      if (old?.fits(output)) old.update(output);
      cards.set(output.name, old?.fits(output) ? old : new OutputCard(output));
    }
    this.cards = cards;
    const elements = [...cards.values()].map((card) => card.element);
    // Cards that are there already are left where they are, so that nobody loses the keyboard's place.
    if (
      elements.some((element, i) => this.outputs.children[i] !== element) ||
      this.outputs.childElementCount !== elements.length
    ) {
      this.outputs.replaceChildren(...elements);
    }
  }

  private note(kind: "good" | "warning" | "error", text: string): void {
    this.notes.append(make("p", { className: kind }, text));
  }
}

function titleOf(kernel: string, example: string | null): string {
  return example === null ? kernel : `${kernel}, example ${example}`;
}

function factsOf({ backend, seconds }: ShownResult): string {
  if (!seconds) return backend;
  return `${backend}: compiled in ${formatSeconds(seconds.compile)}, ran in ${formatSeconds(seconds.run)}`;
}

function send(message: FromResults): void {
  post(message);
}

const main = document.querySelector<HTMLElement>("#main");
if (main) {
  const page = new ResultsPage(main);
  window.addEventListener("message", (event: MessageEvent<ToResults>) => {
    page.take(event.data);
  });
  onTheme(() => {
    page.restyle();
  });
  send({ type: "ready" });
}
