import type { KernelStatus, LawState, LawStatus, Status } from "../protocol.ts";

/** What a kernel's laws come to, the worst first. */
export type Verdict = "refuted" | "unknown" | "working" | "proved";

export function verdictOf(laws: readonly LawStatus[]): Verdict | undefined {
  if (laws.length === 0) return undefined;
  const states = laws.map((law) => law.state);
  if (states.includes("refuted")) return "refuted";
  if (states.some(isUnsettled)) return "working";
  return states.includes("unknown") ? "unknown" : "proved";
}

export function isUnsettled(state: LawState): boolean {
  return state === "queued" || state === "working" || state === "stale";
}

/** What a document's laws come to, in the words of the status item. */
export function countsOf(status: Status): string {
  const laws = status.kernels.flatMap((kernel) => kernel.laws);
  const count = (test: (state: LawState) => boolean): number => laws.filter((law) => test(law.state)).length;
  const parts = [
    [count((state) => state === "proved"), "proved"],
    [count((state) => state === "refuted"), "refuted"],
    [count((state) => state === "unknown"), "unknown"],
    [count(isUnsettled), "open"],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(", ");
}

/** One line a law: "associative: proved, assuming count >= 1 (0.01 s)". */
export function lawText(law: LawStatus): string {
  const assuming = law.assuming?.length ? `, assuming ${law.assuming.join(" and ")}` : "";
  const seconds = law.seconds === undefined ? "" : ` (${law.seconds.toFixed(2)} s)`;
  const reason = law.reason ? `: ${law.reason}` : "";
  return `${law.law}: ${law.state}${assuming}${seconds}${reason}`;
}

export function kernelNamed(status: Status | undefined, name: string): KernelStatus | undefined {
  return status?.kernels.find((kernel) => kernel.name === name);
}
