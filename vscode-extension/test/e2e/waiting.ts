// What several tests wait for.
import type { Frame, Page } from "playwright-core";

/** Waits until so many places are underlined. */
export async function squiggles(page: Page, count: number): Promise<void> {
  await page.waitForFunction((wanted) => document.querySelectorAll(".squiggly-error").length === wanted, count);
}

/** Waits until a run has ended well. */
export async function ran(view: Frame): Promise<void> {
  await view.locator(".facts", { hasText: "ran in" }).waitFor();
}

/** Waits until so many pictures were shown. */
export async function pictures(view: Frame, count: number): Promise<void> {
  await view.waitForFunction((least) => performance.getEntriesByName("kcheck.picture").length >= least, count);
  await view.waitForTimeout(100);
}
