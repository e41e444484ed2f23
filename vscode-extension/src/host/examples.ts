// The examples of kernels in the test explorer.
import * as vscode from "vscode";
import type { Range, Result, Status } from "../protocol.ts";
import { isTrusted, messageOf } from "./runs.ts";
import type { Server } from "./server.ts";

const MOST_FILES = 1000;

/** Files, their kernels and the kernels' examples, as the server tells them; runs one, some or all. */
export class Examples implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("kcheck.examples", "Examples of kernels");
  private readonly disposables: vscode.Disposable[];
  /** The version of each open document whose examples are known. */
  private readonly versions = new Map<string, number>();
  private readonly server: Server;

  constructor(server: Server) {
    this.server = server;
    const { controller } = this;
    controller.resolveHandler = (item) => (item ? this.resolve(item) : this.findFiles());
    controller.refreshHandler = () => this.findFiles();
    controller.createRunProfile(
      "Run",
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
    );
    const watcher = vscode.workspace.createFileSystemWatcher("**/*.kernel", false, true, false);
    this.disposables = [
      controller,
      watcher,
      watcher.onDidCreate((uri) => this.file(uri)),
      watcher.onDidDelete((uri) => {
        controller.items.delete(uri.toString());
      }),
      server.onStatus((status) => void this.statusReported(status)),
    ];
  }

  private async findFiles(): Promise<void> {
    for (const uri of await vscode.workspace.findFiles("**/*.kernel", undefined, MOST_FILES)) this.file(uri);
  }

  private file(uri: vscode.Uri): vscode.TestItem {
    const known = this.controller.items.get(uri.toString());
    if (known) return known;
    const item = this.controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  private async statusReported({ uri, version }: Status): Promise<void> {
    if (this.versions.get(uri) === version) return;
    this.versions.set(uri, version);
    await this.resolve(this.file(vscode.Uri.parse(uri)));
  }

  /** Asks the server for a file's kernels and their examples. */
  private async resolve(file: vscode.TestItem): Promise<void> {
    if (!file.uri || file.parent) return;
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
      "vscode.executeDocumentSymbolProvider",
      file.uri,
    );
    const kernels = (symbols ?? []).filter(({ detail }) => detail === "kernel");
    file.children.replace(
      kernels.flatMap((kernel) => {
        const examples = kernel.children.filter(({ detail }) => detail === "example");
        if (examples.length === 0) return [];
        const item = this.item(file, kernel);
        item.children.replace(
          examples.map((example) => {
            const test = this.item(file, example);
            test.range = example.selectionRange;
            return test;
          }),
        );
        return [item];
      }),
    );
  }

  /** A kernel or an example. Only examples have a range, and with it an icon: beside kernels there are marks of laws. */
  private item(file: vscode.TestItem, { name }: vscode.DocumentSymbol): vscode.TestItem {
    return this.controller.createTestItem(name, name, file.uri);
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    if (!isTrusted()) return;
    const run = this.controller.createTestRun(request);
    try {
      const wanted = request.include ?? itemsOf(this.controller.items);
      for (const item of wanted) {
        if (!item.parent && item.children.size === 0) await this.resolve(item);
      }
      const examples = wanted.flatMap((item) => examplesBelow(item, request.exclude ?? []));
      for (const example of examples) run.enqueued(example);
      for (const example of examples) {
        if (token.isCancellationRequested) run.skipped(example);
        else await this.runExample(run, example, token);
      }
    } finally {
      run.end();
    }
  }

  private async runExample(
    run: vscode.TestRun,
    example: vscode.TestItem,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { uri, parent } = example;
    if (!uri || !parent) return;
    run.started(example);
    const start = performance.now();
    try {
      await vscode.workspace.openTextDocument(uri); // the server runs what the editor has
      const wanted = { uri: uri.toString(), kernel: parent.label, example: example.label };
      const result = await this.server.command<Result>("kcheck.run", wanted, token);
      const failures = failuresOf(result).map(({ text, range }) => {
        const message = new vscode.TestMessage(text);
        const place = range ? rangeOf(range) : example.range;
        if (place) message.location = new vscode.Location(uri, place);
        return message;
      });
      if (failures.length > 0) run.failed(example, failures, performance.now() - start);
      else run.passed(example, performance.now() - start);
    } catch (error) {
      if (token.isCancellationRequested) run.skipped(example);
      else run.errored(example, new vscode.TestMessage(messageOf(error)), performance.now() - start);
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }
}

/** What went wrong in a run: its error, or what was expected in vain. */
function failuresOf({ error, expectations = [] }: Result): { text: string; range: Range | null }[] {
  if (error) {
    return [
      { text: [`${error.code}: ${error.message}`, ...(error.notes ?? [])].join("\n"), range: error.range ?? null },
    ];
  }
  return expectations
    .filter(({ ok }) => !ok)
    .map(({ output, message, range }) => ({
      text: message ?? `${output} is not what is expected`,
      range: range ?? null,
    }));
}

function itemsOf(collection: vscode.TestItemCollection): vscode.TestItem[] {
  return [...collection].map(([, item]) => item);
}

/** The examples that an item stands for: itself, or all below it. */
function examplesBelow(item: vscode.TestItem, excluded: readonly vscode.TestItem[]): vscode.TestItem[] {
  if (excluded.includes(item)) return [];
  if (item.parent?.parent) return [item];
  return itemsOf(item.children).flatMap((child) => examplesBelow(child, excluded));
}

function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
