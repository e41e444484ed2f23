import * as vscode from "vscode";
import type { Shown } from "../protocol.ts";
import { messageOf } from "./runs.ts";
import type { Server } from "./server.ts";

export const SCHEME = "kcheck";
const QUIET_MS = 300;
const ENDINGS: Record<Shown, string> = { ir: "ir", llvm: "ll", wgsl: "wgsl", smt: "smt2" };

interface Query {
  uri: string;
  kernel: string;
  what: Shown;
}

/** Documents of what the tool makes of a kernel. They follow the source while it is edited. */
export class MadeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly disposables: vscode.Disposable[];
  /** The last text of each, kept on show while its source has errors. */
  private readonly texts = new Map<string, string>();

  readonly onDidChange = this.changed.event;

  private readonly server: Server;

  constructor(server: Server) {
    this.server = server;
    this.disposables = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.languageId === "kernel") this.sourceChanged(document.uri.toString());
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === SCHEME) this.texts.delete(document.uri.toString());
      }),
      server.onState((state) => {
        if (state === "running") for (const uri of openOnes()) this.changed.fire(uri);
      }),
    ];
  }

  async open(query: Query): Promise<void> {
    const path = `${query.kernel}.${ENDINGS[query.what]}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(query) });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }

  /** A text without a source, such as the doctor's. */
  async openText(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: name });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const key = uri.toString();
    if (!uri.query) return this.texts.get(key) ?? "";
    try {
      const { text } = await this.server.command<{ text: string }>("kcheck.show", queryOf(uri));
      this.texts.set(key, text);
      return text;
    } catch (error) {
      return this.texts.get(key) ?? `${messageOf(error)}\n`;
    }
  }

  private sourceChanged(source: string): void {
    for (const uri of openOnes()) {
      if (queryOf(uri).uri !== source) continue;
      const key = uri.toString();
      clearTimeout(this.timers.get(key));
      this.timers.set(
        key,
        setTimeout(() => {
          this.timers.delete(key);
          this.changed.fire(uri);
        }, QUIET_MS),
      );
    }
  }

  dispose(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const disposable of this.disposables) disposable.dispose();
  }
}

function openOnes(): vscode.Uri[] {
  return vscode.workspace.textDocuments
    .map((document) => document.uri)
    .filter((uri) => uri.scheme === SCHEME && uri.query);
}

function queryOf(uri: vscode.Uri): Query {
  return JSON.parse(uri.query) as Query;
}
