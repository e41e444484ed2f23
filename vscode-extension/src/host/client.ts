// The language client, set up for our server. Loading it takes most of the time that loading the extension would take:
// it is imported only when a server is about to be started.
import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ExecuteCommandSignature,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import type { Status } from "../protocol.ts";

export interface Hooks {
  /** Starts the process. */
  start: () => Promise<ChildProcess>;
  /** Hears that the process has closed its end of the line. */
  closed: () => void;
  stateChanged: (state: "starting" | "running") => void;
  statusReported: (status: Status) => void;
  /** A command of the server, called by a lens or a quick fix; `undefined` leaves it to the server. */
  intercept: (command: string, args: unknown[]) => Thenable<unknown> | undefined;
}

export function newClient(log: vscode.LogOutputChannel, hooks: Hooks): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "kernel", scheme: "file" },
      { language: "kernel", scheme: "untitled" },
    ],
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: serverSettings(),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        hooks.closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      executeCommand: (command: string, args: unknown[], next: ExecuteCommandSignature): unknown =>
        hooks.intercept(command, args) ?? next(command, args),
    },
  };
  const client = new QuietClient("kcheck", "kcheck", hooks.start, options);
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) hooks.stateChanged("running");
    if (newState === State.Starting) hooks.stateChanged("starting");
  });
  client.onNotification("kcheck/status", hooks.statusReported);
  return client;
}

/** Writes what goes wrong to the log alone: what people need to know is said by `Server`, once. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function serverSettings(): object {
  const settings = vscode.workspace.getConfiguration("kcheck");
  const names = ["backend", "runTimeout", "runMemory", "proofs", "proofTimeout", "inlayHints"];
  return {
    ...Object.fromEntries(names.map((name) => [name, settings.get(name)])),
    // Results come with the answers to commands; asked for here too, so that the server does not show them itself.
    notifications: { results: true, status: true },
  };
}
