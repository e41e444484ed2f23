// VS Code as a web server, with the packed extension in it, and a browser that looks at it.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, chromium, type Frame, type Locator, type Page } from "playwright-core";

const TOOLS = resolve(process.env.EDITOR_TOOLS ?? "../build/editor");
export const KCHECK = resolve(process.env.KCHECK ?? "../.venv/bin/kcheck");
const CODE_SERVER = join(TOOLS, "code-server/node_modules/code-server/out/node/entry.js");
const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const START_MS = 90_000;

export interface Options {
  settings?: Record<string, unknown>;
  /** Whether the workspace counts as trusted without asking. */
  trusted?: boolean;
  /** Where programs are looked for. */
  path?: string;
}

/** A workspace of its own in an editor of its own. */
export class Workbench {
  readonly page: Page;
  readonly workspace: string;
  private readonly browser: Browser;
  private readonly server: ChildProcess;
  private readonly root: string;

  private constructor(page: Page, workspace: string, browser: Browser, server: ChildProcess, root: string) {
    this.page = page;
    this.workspace = workspace;
    this.browser = browser;
    this.server = server;
    this.root = root;
  }

  static async start({ settings = {}, trusted = true, path }: Options = {}): Promise<Workbench> {
    const root = mkdtempSync(join(tmpdir(), "kcheck-editor-"));
    const workspace = join(root, "workspace");
    cpSync("test/e2e/workspace", workspace, { recursive: true });
    mkdirSync(join(root, "data/User"), { recursive: true });
    writeSettings(root, settings);
    const config = join(root, "config.yaml");
    writeFileSync(config, "");
    const folders = [
      "--config",
      config,
      "--user-data-dir",
      join(root, "data"),
      "--extensions-dir",
      join(root, "extensions"),
    ];
    execFileSync(process.execPath, [CODE_SERVER, ...folders, "--install-extension", resolve("kcheck.vsix")], {
      stdio: "pipe",
    });
    const port = await freePort();
    const flags = [
      "--auth",
      "none",
      "--bind-addr",
      `127.0.0.1:${port}`,
      "--disable-telemetry",
      "--disable-update-check",
    ];
    if (trusted) flags.push("--disable-workspace-trust");
    const server = spawn(process.execPath, [CODE_SERVER, ...folders, ...flags], {
      stdio: "pipe",
      env: { ...process.env, ...(path !== undefined && { PATH: path }) },
    });
    await says(server, "HTTP server listening");
    const browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      headless: true,
      args: CHROMIUM_FLAGS,
    });
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`, {
      waitUntil: "domcontentloaded",
      timeout: START_MS,
    });
    await page.waitForSelector(".explorer-folders-view .monaco-list-row", { timeout: START_MS });
    if (!trusted)
      await page
        .getByRole("button", { name: "Restricted Mode" })
        .or(page.getByRole("button", { name: "No, I don't" }))
        .first()
        .click();
    return new Workbench(page, workspace, browser, server, root);
  }

  async close(): Promise<void> {
    await this.browser.close();
    const ended = new Promise((done) => this.server.once("exit", done));
    this.server.kill();
    await ended;
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  async open(file: string): Promise<void> {
    await this.page.keyboard.press("Control+1"); // where the sources are
    const input = await this.quickInput("Control+P");
    await input.fill(file);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: file }).first().click();
    await this.page.locator(`.tab.active[data-resource-name="${file}"]`).first().waitFor();
    await this.page.locator(".editor-group-container.active .monaco-editor .view-line").first().waitFor();
  }

  /** Opens the box for files or commands; a key may get lost while a view takes or gives the keyboard. */
  private async quickInput(key: string): Promise<Locator> {
    const input = this.page.locator(".quick-input-widget input").first();
    await this.until("the quick input", async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press(key);
      return await appears(input);
    });
    return input;
  }

  /** Puts the cursor into the first place of a text that the active editor shows. */
  async place(text: string): Promise<void> {
    const input = this.page.locator(".editor-group-container.active .find-widget.visible textarea").first();
    await this.until("the box that finds text", async () => {
      await this.page.keyboard.press("Control+1");
      await this.page.keyboard.press("Control+F");
      return await appears(input);
    });
    await input.fill(text);
    await input.press("Enter");
    await input.press("Escape");
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
    await this.page.keyboard.press("ArrowLeft");
  }

  /** Waits until the active editor shows a text. */
  async shows(text: string): Promise<void> {
    await this.until(text, async () => (await this.text()).includes(text));
  }

  /** Waits until something is so. */
  async until(what: string, test: () => boolean | Promise<boolean>, timeout = 15_000): Promise<void> {
    for (const end = Date.now() + timeout; Date.now() < end;) {
      if (await test()) return;
      await this.page.waitForTimeout(50);
    }
    throw new Error(`waited in vain for ${what}`);
  }

  /** The first lens of the active editor with this text. */
  lens(text: string): Locator {
    const exact = new RegExp(`${text}(?!\\w)`);
    return this.page.locator(".editor-group-container.active .codelens-decoration a", { hasText: exact }).first();
  }

  /** Keeps a picture of the window. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: `out/screenshots/${name}.png` });
  }

  /** Chooses a command of the palette by its title. */
  async command(title: string): Promise<void> {
    const input = await this.quickInput("F1");
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
  }

  /** The page inside of a view of ours, by the class of something in it. */
  async view(selector: string, timeout = 30_000): Promise<Frame> {
    const end = Date.now() + timeout;
    while (Date.now() < end) {
      for (const frame of this.page.frames()) {
        if (
          (await frame
            .locator(selector)
            .count()
            .catch(() => 0)) > 0
        )
          return frame;
      }
      await this.page.waitForTimeout(100);
    }
    throw new Error(`no view shows ${selector}`);
  }

  /** The status item. */
  status(): Locator {
    return this.page.locator('[id="kcheck.kcheck.kcheck.status"]').first();
  }

  /** The language servers that run for this editor. */
  servers(): number[] {
    return descendants(this.server.pid ?? 0).filter((pid) => {
      const words = commandLine(pid);
      return words.includes("lsp") && words.some((word) => word.includes("kcheck"));
    });
  }

  async text(): Promise<string> {
    const lines = await this.page.locator(".editor-group-container.active .view-line").allInnerTexts();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }
}

/** Whether something can be seen soon. */
export function appears(locator: Locator): Promise<boolean> {
  return locator.waitFor({ timeout: 3000 }).then(
    () => true,
    () => false,
  );
}

function writeSettings(root: string, settings: Record<string, unknown>): void {
  const all = {
    "kcheck.server.path": KCHECK,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.editor.revealIfOpen": true,
    "telemetry.telemetryLevel": "off",
    "editor.minimap.enabled": false,
    "chat.disableAIFeatures": true,
    ...settings,
  };
  writeFileSync(join(root, "data/User/settings.json"), JSON.stringify(all));
}

function processes(): { pid: number; parent: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // pid (name) state parent …; a name may hold brackets and blanks
        const rest = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1) ?? "";
        return [{ pid: Number(name), parent: Number(rest.split(" ")[1]) }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

function descendants(root: number): number[] {
  const all = processes();
  const below = (parent: number): number[] =>
    all.filter((one) => one.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  return below(root);
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        found(typeof address === "object" && address ? address.port : 0);
      });
    });
  });
}

function says(process: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const hear = (data: Buffer): void => {
      output += data.toString();
      if (output.includes(text)) resolve();
    };
    process.stdout?.on("data", hear);
    process.stderr?.on("data", hear);
    process.once("exit", () => {
      reject(new Error(output));
    });
  });
}
