import * as vscode from "vscode";
import type { Status } from "../protocol.ts";
import { countsOf, lawText, type Verdict, verdictOf } from "./laws.ts";
import type { Server, ServerState } from "./server.ts";

const VERDICTS: readonly Verdict[] = ["proved", "refuted", "unknown", "working"];

/** Shows what is known of the open documents: one status item, and marks in the gutter beside kernels with laws. */
export class StatusDisplay implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly marks: Record<Verdict, vscode.TextEditorDecorationType>;
  private readonly statuses = new Map<string, Status>();
  private readonly disposables: vscode.Disposable[] = [];

  private readonly server: Server;

  constructor(extensionUri: vscode.Uri, server: Server) {
    this.server = server;
    this.item = vscode.window.createStatusBarItem("kcheck.status", vscode.StatusBarAlignment.Right, 100);
    this.item.name = "kcheck";
    this.item.command = "kcheck.client.showLog";
    this.marks = Object.fromEntries(
      VERDICTS.map((verdict) => [
        verdict,
        vscode.window.createTextEditorDecorationType({
          gutterIconPath: vscode.Uri.joinPath(extensionUri, "icons", `law-${verdict}.svg`),
          gutterIconSize: "80%",
        }),
      ]),
    ) as Record<Verdict, vscode.TextEditorDecorationType>;
    this.disposables.push(
      this.item,
      ...Object.values(this.marks),
      server.onState(() => {
        if (server.state !== "running") this.statuses.clear();
        this.refresh();
      }),
      server.onStatus((status) => {
        this.statuses.set(keyOf(vscode.Uri.parse(status.uri)), status);
        this.refresh();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.statuses.delete(keyOf(document.uri));
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.refresh();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.refresh();
      }),
    );
    this.refresh();
  }

  statusOf(uri: vscode.Uri): Status | undefined {
    return this.statuses.get(keyOf(uri));
  }

  private refresh(): void {
    this.refreshItem(vscode.window.activeTextEditor);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.languageId === "kernel") this.refreshMarks(editor);
    }
  }

  private refreshItem(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.languageId !== "kernel") {
      this.item.hide();
      return;
    }
    const status = this.statusOf(editor.document.uri);
    const { text, error } = describe(this.server.state, status);
    this.item.text = text;
    this.item.tooltip = tooltip(this.server, status);
    this.item.backgroundColor = error ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.show();
  }

  private refreshMarks(editor: vscode.TextEditor): void {
    const kernels = this.statusOf(editor.document.uri)?.kernels ?? [];
    for (const verdict of VERDICTS) {
      const marked = kernels.filter((kernel) => verdictOf(kernel.laws) === verdict);
      editor.setDecorations(
        this.marks[verdict],
        // A gutter has no hovers: what the mark means is told by the kernel's name.
        marked.map(({ selectionRange: { start, end }, laws }) => ({
          range: new vscode.Range(start.line, start.character, end.line, end.character),
          hoverMessage: laws.map(lawText).join("\n\n"),
        })),
      );
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }
}

function keyOf(uri: vscode.Uri): string {
  return uri.toString();
}

function describe(state: ServerState, status: Status | undefined): { text: string; error: boolean } {
  switch (state) {
    case "starting":
      return { text: "$(sync~spin) kcheck: starting", error: false };
    case "stopped":
      return { text: "$(error) kcheck: stopped", error: true };
    case "missing":
      return { text: "$(error) kcheck: not found", error: true };
    case "running": {
      const counts = status ? countsOf(status) : "";
      const icon = status?.state === "working" ? "$(sync~spin)" : iconOf(counts);
      return { text: `${icon} kcheck${counts && `: ${counts}`}`, error: false };
    }
  }
}

function iconOf(counts: string): string {
  if (counts.includes("refuted")) return "$(warning)";
  return counts.includes("unknown") ? "$(question)" : "$(check)";
}

function tooltip(server: Server, status: Status | undefined): string {
  const laws = (status?.kernels ?? []).flatMap((kernel) => kernel.laws.map((law) => `${kernel.name} ${lawText(law)}`));
  return [`kcheck ${server.version}`.trim(), ...laws].join("\n");
}
