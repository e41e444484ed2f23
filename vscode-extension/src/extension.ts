import * as vscode from "vscode";
import { intercepted, registerCommands, reveal } from "./host/commands.ts";
import { Examples } from "./host/examples.ts";
import { MadeDocuments } from "./host/documents.ts";
import { ResultsView } from "./host/results.ts";
import { Runs } from "./host/runs.ts";
import { Server } from "./host/server.ts";
import { StatusDisplay } from "./host/status.ts";
import { CheckTasks, TASK } from "./host/tasks.ts";
import { WitnessView } from "./host/witness.ts";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("kcheck", { log: true });
  server = new Server(log, (command, args) => intercepted({ runs, witness }, command, args));
  const status = new StatusDisplay(context.extensionUri, server);
  const results = new ResultsView(context.extensionUri);
  const runs = new Runs(server, results, context.workspaceState);
  const witness = new WitnessView(context.extensionUri, server, status);
  const documents = new MadeDocuments(server);
  context.subscriptions.push(
    ...registerCommands({ server, runs, witness, documents }),
    vscode.commands.registerCommand("kcheck.client.showLog", () => {
      log.show();
    }),
    vscode.commands.registerCommand("kcheck.client.showResults", () => {
      results.show();
    }),
    results.onReveal(({ uri, kernel }) => reveal(uri, kernel)),
    witness.onReveal(({ uri, kernel }) => reveal(uri, kernel)),
    vscode.tasks.registerTaskProvider(TASK, new CheckTasks(server)),
    new Examples(server),
    documents,
    witness,
    runs,
    results,
    status,
    server,
    log,
  );
  // Nothing waits for the server: the editor is usable before it answers.
  void server.start();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
