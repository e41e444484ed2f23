import { createWriteStream } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as vscode from "vscode";
import type { FromResults, ToResults } from "../messages.ts";
import type { Comparison, Json, Leaf, Output, Result, RunArguments } from "../protocol.ts";
import { shownOutput, shownResult } from "./convert.ts";
import { Panel } from "./page.ts";
import { buckets, csv, FileSource, ListSource, region, type Source } from "./source.ts";

interface Kept {
  source: Source;
  leaves: Leaf[];
  output: Output;
}

/** The view of what runs give. It keeps the values of the last result, and reads parts of them for the page. */
export class ResultsView implements vscode.Disposable {
  private readonly panel: Panel<ToResults, FromResults>;
  private kept = new Map<string, Kept>();
  private shown: { uri: string; kernel: string } | undefined;
  private readonly runAsked = new vscode.EventEmitter<{ params: Record<string, Json>; quick: boolean }>();
  private readonly compareAsked = new vscode.EventEmitter<void>();
  private readonly cancelAsked = new vscode.EventEmitter<void>();
  private readonly revealAsked = new vscode.EventEmitter<{ uri: string; kernel: string }>();

  readonly onRun = this.runAsked.event;
  readonly onCompare = this.compareAsked.event;
  readonly onCancel = this.cancelAsked.event;
  readonly onReveal = this.revealAsked.event;

  constructor(extensionUri: vscode.Uri) {
    this.panel = new Panel(
      extensionUri,
      "results",
      "kcheck Results",
      (message) => {
        void this.received(message);
      },
      () => {
        void this.keep([]);
      },
    );
  }

  show(): void {
    this.panel.show();
  }

  running({ uri, kernel, example }: RunArguments): void {
    this.panel.show();
    this.shown = { uri, kernel };
    this.panel.post({ type: "running", kernel, example: example ?? null });
  }

  idle(): void {
    this.panel.post({ type: "idle" });
  }

  /** A preview that was asked for is not made. */
  skipped(): void {
    this.panel.post({ type: "skipped" });
  }

  failed(message: string): void {
    this.panel.post({ type: "failed", message });
  }

  async result(result: Result): Promise<void> {
    await this.keep(result.outputs);
    this.panel.post({ type: "result", result: shownResult(result, this.leaves()) });
  }

  /** A preview that a slider asked for. Of its values there are only those that came along. */
  frame(result: Result): void {
    const sent = new Map<string, Leaf[]>();
    for (const output of result.outputs) {
      if (!output.values) continue;
      const source = new ListSource(output.shape, output.values);
      const before = this.kept.get(output.name);
      void before?.source.close();
      const leaves = named(source, before?.leaves);
      this.kept.set(output.name, { source, leaves, output });
      sent.set(output.name, leaves);
    }
    this.panel.post({ type: "frame", result: shownResult(result, sent) });
  }

  async comparison(comparison: Comparison, uri: string): Promise<void> {
    this.shown = { uri, kernel: comparison.kernel };
    await this.keep(comparison.outputs);
    const leaves = this.leaves();
    const outputs = comparison.outputs.map((output) => shownOutput(output, leaves.get(output.name) ?? []));
    this.panel.post({ type: "comparison", comparison: { ...comparison, outputs } });
  }

  private leaves(): Map<string, Leaf[]> {
    return new Map([...this.kept].map(([name, { leaves }]) => [name, leaves]));
  }

  private async keep(outputs: readonly Output[]): Promise<void> {
    const old = this.kept;
    this.kept = new Map();
    for (const { source } of old.values()) await source.close();
    for (const output of outputs) {
      const source = await sourceOf(output);
      if (source) this.kept.set(output.name, { source, leaves: named(source, output.numbers), output });
    }
  }

  private async received(message: FromResults): Promise<void> {
    switch (message.type) {
      case "run":
        this.runAsked.fire(message);
        break;
      case "compare":
        this.compareAsked.fire();
        break;
      case "cancel":
        this.cancelAsked.fire();
        break;
      case "reveal":
        if (this.shown) this.revealAsked.fire(this.shown);
        break;
      case "region": {
        const values = await this.reading(message.region.output, (source) => region(source, message.region));
        this.panel.post({ type: "region", id: message.id, region: values });
        break;
      }
      case "buckets": {
        const values = await this.reading(message.request.output, (source) => buckets(source, message.request));
        this.panel.post({ type: "buckets", id: message.id, buckets: values });
        break;
      }
      case "export":
        await this.export(message);
        break;
      case "ready":
        break;
    }
  }

  /** Reads from an output's values; null where they are gone, for a newer result has taken their place. */
  private async reading<T>(output: string, read: (source: Source) => Promise<T>): Promise<T | null> {
    const kept = this.kept.get(output);
    if (!kept) return null;
    try {
      return await read(kept.source);
    } catch (error) {
      if (this.kept.get(output) === kept) this.failed(`the values of ${output} cannot be read: ${String(error)}`);
      return null;
    }
  }

  private async export({ output, format, png }: Extract<FromResults, { type: "export" }>): Promise<void> {
    const kept = this.kept.get(output);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `${this.shown?.kernel.replace(/@.*/, "") ?? "result"}.${output}.${format}`;
    const target = await vscode.window.showSaveDialog({
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
      filters: { [format.toUpperCase()]: [format] },
    });
    if (!target) return;
    try {
      if (format === "png") await writeFile(target.fsPath, png ?? new Uint8Array());
      else if (!kept) throw new Error("its values are gone; run the kernel again");
      else if (format === "csv")
        await pipeline(Readable.from(csv(kept.source, kept.leaves)), createWriteStream(target.fsPath));
      else if (kept.output.file === undefined) throw new Error("the server keeps no file of it");
      else await copyFile(vscode.Uri.parse(kept.output.file).fsPath, target.fsPath);
      void vscode.window.setStatusBarMessage(`kcheck: wrote ${target.fsPath}`, 5000);
    } catch (error) {
      void vscode.window.showErrorMessage(`${target.fsPath} cannot be written: ${String(error)}`);
    }
  }

  dispose(): void {
    this.panel.dispose();
    this.runAsked.dispose();
    this.compareAsked.dispose();
    this.cancelAsked.dispose();
    this.revealAsked.dispose();
  }
}

/** The numbers of an element, as the server tells of them; of those after the first ones no more than the names. */
function named(source: Source, told: readonly Leaf[] = []): Leaf[] {
  return source.leaves.map((name, i) => told[i] ?? { name });
}

async function sourceOf({ file, values, shape }: Output): Promise<Source | undefined> {
  if (file !== undefined) return FileSource.open(vscode.Uri.parse(file).fsPath, shape.length);
  return values && new ListSource(shape, values);
}
