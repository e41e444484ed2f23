import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Status } from "../protocol.ts";
import type { Hooks } from "./client.ts";
import { CrashPolicy } from "./crashes.ts";
import { type Candidate, candidates, choose, explain } from "./discovery.ts";
import { offerEnvironment, pythonForEnvironment } from "./offer.ts";
import { ServerProcess } from "./process.ts";
import { setting } from "./settings.ts";
import { activePython, onActivePythonChanged } from "./environment.ts";

/** The exit status of a kcheck that lacks what its server needs. */
const INCOMPLETE = 2;
/** The settings of a window that has just opened may come in late, and have the server started anew. */
const LATE_SETTINGS_MS = 1500;

export type ServerState = "starting" | "running" | "stopped" | "missing";

/** Finds kcheck, keeps its server alive, and passes on what it says. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly crashes = new CrashPolicy();
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  private readonly statusReported = new vscode.EventEmitter<Status>();
  private readonly disposables: vscode.Disposable[] = [this.stateChanged, this.statusReported];
  /** Starts and stops follow one another; the first one begins when the extension is active. */
  private queue = new Promise<void>((active) => setImmediate(active));
  private restartTimer: NodeJS.Timeout | undefined;
  private missingTimer: NodeJS.Timeout | undefined;

  readonly onState = this.stateChanged.event;
  readonly onStatus = this.statusReported.event;
  state: ServerState = "stopped";
  version = "";
  private program: Candidate | undefined;

  private readonly log: vscode.LogOutputChannel;
  private readonly intercept: Hooks["intercept"];

  constructor(log: vscode.LogOutputChannel, intercept: Hooks["intercept"]) {
    this.log = log;
    this.intercept = intercept;
    this.disposables.push(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("kcheck.server") || change.affectsConfiguration("kcheck.python")) {
          void this.restart();
        } else if (change.affectsConfiguration("kcheck") && this.client?.isRunning()) {
          // The server asks for what it wants to know.
          void this.client.sendNotification("workspace/didChangeConfiguration", { settings: null });
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      onActivePythonChanged(() => {
        if (!setting("server.path") && !setting("python")) void this.restart();
      }),
    );
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  restart(): Promise<void> {
    this.crashes.reset();
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => {
      this.log.error(String(error));
    });
    return this.queue;
  }

  /** How kcheck is started; `undefined` where there is none. */
  async found(): Promise<Candidate | undefined> {
    await this.queue;
    return this.program;
  }

  /** Calls a command of the server. Errors are the server's, with its words. */
  async command<T>(command: string, argument: object, token?: vscode.CancellationToken): Promise<T> {
    await this.queue;
    if (!this.client?.isRunning()) throw new Error("the kcheck server is not running");
    // An absent token must not be passed: it would count as one more parameter.
    const cancellation = token ? [token] : [];
    return this.client.sendRequest<T>("workspace/executeCommand", { command, arguments: [argument] }, ...cancellation);
  }

  private async startNow(): Promise<void> {
    clearTimeout(this.missingTimer);
    this.setState("starting");
    this.program = undefined;
    const { found, refused } = await choose(await candidates(await places()));
    for (const { candidate, reason, detail } of refused) {
      this.log.info(`not taken: ${candidate.command} of ${candidate.origin}: ${reason} (${detail})`);
    }
    if (!found) {
      this.setState("missing");
      this.missingTimer = setTimeout(() => void this.tellMissing(explain(refused)), LATE_SETTINGS_MS);
      return;
    }
    this.version = found.version;
    this.program = found;
    this.log.info(`kcheck ${found.version}: ${[found.command, ...found.args].join(" ")} (${found.origin})`);
    const server = new ServerProcess(found.command, [...found.args, "lsp"], this.log);
    const { newClient } = await import("./client.ts");
    const client = newClient(this.log, {
      start: () => server.start(),
      closed: () => {
        this.crashed(client, server);
      },
      stateChanged: (state) => {
        if (client === this.client) this.setState(state);
      },
      statusReported: (status) => {
        this.statusReported.fire(status);
      },
      intercept: this.intercept,
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      this.crashed(client, server);
    }
  }

  /** The server ended by itself, or did not come up. Both may be told of one server. */
  private crashed(client: LanguageClient, server: ServerProcess): void {
    if (client !== this.client) return;
    this.client = undefined;
    this.setState("starting");
    void this.enqueue(async () => {
      const { status, words } = await server.end();
      if (this.client) return; // somebody has started another one meanwhile
      if (status === INCOMPLETE) {
        this.setState("missing");
        void this.tellMissing(words);
      } else {
        this.startLater();
      }
    });
  }

  private startLater(): void {
    const delay = this.crashes.crashed(Date.now());
    if (delay === undefined) {
      this.log.error("the server ended five times in three minutes and is not started again");
      this.setState("stopped");
      void this.tellCrashes();
      return;
    }
    this.log.warn(`the server ended; it is started again in ${delay} ms`);
    this.restartTimer = setTimeout(() => void this.start(), delay);
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.restartTimer);
    clearTimeout(this.missingTimer);
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) await client.stop();
    await client?.dispose();
  }

  private setState(state: ServerState): void {
    this.state = state;
    this.stateChanged.fire(state);
  }

  private async tellCrashes(): Promise<void> {
    const restart = "Restart Server";
    const show = "Show Log";
    const message = "The kcheck server ended five times in three minutes and is not started again.";
    const answer = await vscode.window.showErrorMessage(message, restart, show);
    if (answer === restart) await this.restart();
    if (answer === show) this.log.show();
  }

  private async tellMissing(message: string): Promise<void> {
    this.log.error(message);
    const create = "Create Environment…";
    const again = "Try Again";
    const settings = "Open Settings";
    const python = await pythonForEnvironment();
    const answer = await vscode.window.showErrorMessage(message, ...(python ? [create] : []), again, settings);
    if (answer === create && python) await offerEnvironment(python, this.log);
    if (answer === again) await this.restart();
    if (answer === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "kcheck.");
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
    void this.enqueue(() => this.stopNow());
  }

  /** Stops the server; the editor waits for it before it ends. */
  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }
}

async function places(): Promise<Parameters<typeof candidates>[0]> {
  return {
    serverPath: setting("server.path"),
    python: setting("python"),
    // An environment in the folder of somebody who is not trusted is their program.
    activePython: vscode.workspace.isTrusted ? await activePython() : undefined,
    path: process.env.PATH ?? "",
    windows: process.platform === "win32",
  };
}
