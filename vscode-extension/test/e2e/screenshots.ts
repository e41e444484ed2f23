// Takes the pictures of the README, in a real workbench, and puts them where the README shows them from.
import { pictures, ran } from "./waiting.ts";
import { Workbench } from "./workbench.ts";

const bench = await Workbench.start({
  workspace: "test/e2e/gallery",
  settings: { "editor.wordWrap": "on", "editor.scrollbar.vertical": "hidden", "editor.renderLineHighlight": "none" },
});
try {
  const { page } = bench;
  const sideBar = page.locator(".sidebar");
  await bench.again(
    "room",
    () => page.keyboard.press("Control+B"),
    async () => !(await sideBar.isVisible()),
  );

  await bench.open("julia.kernel");
  const picture = await bench.clickLens("run square", "canvas.picture");
  await ran(picture);
  await pictures(picture, 1);
  await keep("picture", 1180);

  await bench.open("bell.kernel");
  const plot = await bench.clickLens("run second", ".plot canvas");
  await ran(plot);
  await keep("plot", 820);

  await bench.open("stats.kernel");
  await bench.status().filter({ hasText: "3 proved, 1 refuted" }).waitFor();
  await bench.clickLens("not commutative", ".tree");
  await keep("witness", 700);

  /** Writes a picture of the window, so many pixels high, once everything in it is still. */
  async function keep(name: string, height: number): Promise<void> {
    await page.setViewportSize({ width: 1200, height });
    await page.mouse.move(400, height - 60); // off the lens, which it would underline
    await page.waitForTimeout(3000);
    await page.screenshot({ path: `screenshots/${name}.png` });
  }
} finally {
  await bench.close();
}
