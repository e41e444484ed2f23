// VS Code as a web server, with the packed extension in it, and a browser that looks at it.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import {
  type Browser,
  type BrowserContext,
  chromium,
  errors,
  type Frame,
  type Locator,
  type Page,
} from "playwright-core";

const TOOLS = resolve(process.env.EDITOR_TOOLS ?? "../build/editor");
export const KCHECK = resolve(process.env.KCHECK ?? "../.venv/bin/kcheck");
const CODE_SERVER = join(TOOLS, "code-server/node_modules/code-server/out/node/entry.js");
const BROWSER = {
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
const WINDOW = { width: 1440, height: 900 };
/** A loaded machine is slow: so long may it take until something is seen, */
const PATIENCE_MS = 120_000;
/** and so long until what was done is taken for lost, and done again. */
const AGAIN_MS = 6000;

export interface Options {
  /** The folder whose copy is opened. */
  workspace?: string;
  settings?: Record<string, unknown>;
  /** Whether the workspace counts as trusted without asking. */
  trusted?: boolean;
  /** Where programs are looked for. */
  path?: string;
  /** Whether the browser can be left alone, see `unobserved`. */
  apart?: boolean;
}

/** A workspace of its own in an editor of its own. */
export class Workbench {
  page: Page;
  readonly workspace: string;
  private browser: Browser;
  private readonly server: ChildProcess;
  private readonly root: string;
  /** The one that was opened last. */
  private file = "";

  private constructor(page: Page, workspace: string, browser: Browser, server: ChildProcess, root: string) {
    this.page = page;
    this.workspace = workspace;
    this.browser = browser;
    this.server = server;
    this.root = root;
  }

  static async start(options: Options = {}): Promise<Workbench> {
    const { settings = {}, trusted = true, path } = options;
    const root = mkdtempSync(join(tmpdir(), "kcheck-editor-"));
    const workspace = join(root, "workspace");
    cpSync(options.workspace ?? "test/e2e/workspace", workspace, { recursive: true });
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
    const browser = options.apart ? await browserApart(root) : await chromium.launch({ ...BROWSER, headless: true });
    const context = options.apart ? onlyContext(browser) : await browser.newContext({ viewport: WINDOW });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.setViewportSize(WINDOW);
    await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`, {
      waitUntil: "domcontentloaded",
      timeout: PATIENCE_MS,
    });
    await page.waitForSelector(".explorer-folders-view .monaco-list-row", { timeout: PATIENCE_MS });
    const bench = new Workbench(page, workspace, browser, server, root);
    if (!trusted) {
      const refuse = page.locator(".monaco-dialog-box").getByRole("button", { name: "No, I don't" });
      await bench.again("a workspace that is not trusted", () => refuse.click(), gone(refuse));
    }
    return bench;
  }

  /** Lets go of the browser for a time: what is shown to Playwright, every message of the editor's too, slows it down. */
  async unobserved(milliseconds: number): Promise<void> {
    await this.browser.close(); // of a browser apart it closes the connection only
    await new Promise((done) => setTimeout(done, milliseconds));
    this.browser = await chromium.connectOverCDP(readFileSync(join(this.root, "browser.url"), "utf8"));
    const context = onlyContext(this.browser);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = context.pages().find((one) => one.url().includes(this.workspace));
    assert.ok(page);
    await page.setViewportSize(WINDOW);
    this.page = page;
  }

  async close(): Promise<void> {
    const apart = readdirSync(this.root).includes("browser.url");
    if (apart) await (await this.browser.newBrowserCDPSession()).send("Browser.close");
    await this.browser.close();
    const ended = new Promise((done) => this.server.once("exit", done));
    this.server.kill();
    await ended;
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Opens a file of the workspace where the sources are. */
  async open(file: string): Promise<void> {
    const name = basename(file);
    const tab = this.page.locator(`.editor-group-container.active .tab.active[data-resource-name="${name}"]`).first();
    await this.again(
      `the editor of ${file}`,
      async () => {
        await this.page.keyboard.press("Control+1");
        await this.choose("Control+P", file, name);
      },
      async () => (await tab.isVisible()) && (await this.text()).trim() !== "",
    );
    this.file = file;
  }

  /** Opens the box for files or commands, writes into it, and takes the first row with a text. */
  async choose(key: string, written: string, row: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input").first();
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press(key);
    await input.fill(written);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first().click();
  }

  /** Puts the cursor before the first place of a text in the file that was opened, which is as it was saved. */
  async place(text: string): Promise<void> {
    const before = readFileSync(join(this.workspace, this.file), "utf8").split(text)[0]?.split("\n") ?? [];
    const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
    const where = this.page.locator('[id="status.editor.selection"]');
    await this.again(
      `the cursor before ${text}`,
      async () => {
        await this.page.keyboard.press("Control+1");
        await this.page.keyboard.press("Escape");
        await this.page.keyboard.press("Control+G");
        const input = this.page.locator(".quick-input-widget input").first();
        await input.fill(`:${line}:${column}`);
        await input.press("Enter");
      },
      async () => (await where.innerText()) === `Ln ${line}, Col ${column}` && (await this.hasKeyboard()),
    );
  }

  private hasKeyboard(): Promise<boolean> {
    return this.page.locator(".editor-group-container.active .monaco-editor.focused").first().isVisible();
  }

  /** Writes a text without blanks at the cursor of the active editor, in one go, so that one key takes it back. */
  async write(text: string): Promise<void> {
    await this.again(
      text,
      () => this.page.keyboard.insertText(text),
      async () => (await this.text()).includes(text),
    );
  }

  /** Takes back what was written. */
  async undo(text: string): Promise<void> {
    await this.again(
      `no ${text}`,
      () => this.page.keyboard.press("Control+Z"),
      async () => !(await this.text()).includes(text),
    );
  }

  /** Does something until its effect is seen: a key or a click may get lost while the page has much to do. */
  async again(what: string, act: () => Promise<unknown>, seen: Locator | (() => Promise<boolean>)): Promise<void> {
    const isSeen = typeof seen === "function" ? seen : (): Promise<boolean> => seen.first().isVisible();
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      await this.attempt(act);
      for (const late = Date.now() + AGAIN_MS; Date.now() < late;) {
        if (await isSeen()) return;
        await this.page.waitForTimeout(50);
      }
    }
    throw new Error(`waited in vain for ${what}`);
  }

  /** Does something as far as it can be done soon. */
  private async attempt(act: () => Promise<unknown>): Promise<void> {
    const context = this.page.context();
    context.setDefaultTimeout(AGAIN_MS);
    try {
      await act();
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error;
    } finally {
      context.setDefaultTimeout(PATIENCE_MS);
    }
  }

  /** Waits until the active editor shows a text. */
  async shows(text: string): Promise<void> {
    await this.until(text, async () => (await this.text()).includes(text));
  }

  /** Waits until something is so. */
  async until(what: string, test: () => boolean | Promise<boolean>, timeout = PATIENCE_MS): Promise<void> {
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

  /** Chooses a command of the palette by its title, until its effect is seen. */
  async command(title: string, seen: Locator | (() => Promise<boolean>)): Promise<void> {
    await this.again(title, () => this.choose("F1", `>${title}`, title), seen);
  }

  /** Clicks a lens until a view of ours shows something; the view's page. */
  async clickLens(text: string, selector: string): Promise<Frame> {
    const click = (): Promise<void> => this.lens(text).click();
    await this.again(`${selector} behind the lens ${text}`, click, async () => !!(await this.shownIn(selector)));
    return this.view(selector);
  }

  /** The page inside of a view of ours that shows something. */
  async view(selector: string): Promise<Frame> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      const found = await this.shownIn(selector);
      if (found) return found;
      await this.page.waitForTimeout(50);
    }
    throw new Error(`no view shows ${selector}`);
  }

  private async shownIn(selector: string): Promise<Frame | undefined> {
    for (const frame of this.page.frames()) {
      const count = await frame
        .locator(selector)
        .count()
        .catch(() => 0); // the frame is gone
      if (count > 0) return frame;
    }
    return undefined;
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

/** A browser that Playwright can leave and come back to; its address is kept in a file. */
async function browserApart(root: string): Promise<Browser> {
  const flags = [
    "--headless=new",
    "--remote-debugging-port=0",
    `--user-data-dir=${join(root, "browser")}`,
    `--window-size=${WINDOW.width},${WINDOW.height}`,
  ];
  const browser = spawn(BROWSER.executablePath, [...BROWSER.args, ...flags], { stdio: "pipe" });
  const url = /ws:\S+/.exec(await says(browser, "DevTools listening on"))?.[0];
  assert.ok(url);
  writeFileSync(join(root, "browser.url"), url);
  return chromium.connectOverCDP(url);
}

function onlyContext(browser: Browser): BrowserContext {
  const [context] = browser.contexts();
  assert.ok(context);
  return context;
}

/** Whether something cannot be seen any more. */
export function gone(locator: Locator): () => Promise<boolean> {
  return async () => !(await locator.isVisible());
}

/** Settings that are the machine's own. In a window whose files are elsewhere, the user's are not heeded for them. */
const OF_THE_MACHINE = ["kcheck.server.path", "kcheck.python"];

function writeSettings(root: string, settings: Record<string, unknown>): void {
  const all = Object.entries({
    "kcheck.server.path": KCHECK,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.editor.revealIfOpen": true,
    "telemetry.telemetryLevel": "off",
    "editor.minimap.enabled": false,
    "chat.disableAIFeatures": true,
    ...settings,
  });
  const write = (folder: string, some: [string, unknown][]): void => {
    mkdirSync(join(root, "data", folder), { recursive: true });
    writeFileSync(join(root, "data", folder, "settings.json"), JSON.stringify(Object.fromEntries(some)));
  };
  write(
    "Machine",
    all.filter(([name]) => OF_THE_MACHINE.includes(name)),
  );
  write(
    "User",
    all.filter(([name]) => !OF_THE_MACHINE.includes(name)),
  );
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

function says(process: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const hear = (data: Buffer): void => {
      output += data.toString();
      if (output.includes(text)) resolve(output);
    };
    process.stdout?.on("data", hear);
    process.stderr?.on("data", hear);
    process.once("exit", () => {
      reject(new Error(output));
    });
  });
}
