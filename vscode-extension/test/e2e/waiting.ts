// What several tests wait for.
import { afterEach, type TestContext } from "node:test";
import type { Frame, Page } from "playwright-core";
import type { Workbench } from "./workbench.ts";

/** Keeps a picture of the window after each test that fails. */
export function keepFailures(bench: () => Workbench): void {
  afterEach(async (context) => {
    if (!(context as TestContext & { passed: boolean }).passed) await bench().screenshot(`failed, ${context.name}`);
  });
}

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
