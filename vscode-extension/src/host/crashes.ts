const WINDOW_MS = 3 * 60 * 1000;
const MOST_CRASHES = 5;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8000;

/** Decides after each crash how long to wait before the server is started again, or that it is not. */
export class CrashPolicy {
  private crashes: number[] = [];

  /** `now` in milliseconds. The milliseconds to wait; `undefined` after five crashes in three minutes. */
  crashed(now: number): number | undefined {
    this.crashes = this.crashes.filter((time) => now - time < WINDOW_MS);
    this.crashes.push(now);
    if (this.crashes.length >= MOST_CRASHES) return undefined;
    return Math.min(FIRST_DELAY_MS * 4 ** (this.crashes.length - 1), LONGEST_DELAY_MS);
  }

  reset(): void {
    this.crashes = [];
  }
}
