import * as vscode from "vscode";
import type { Comparison, Need, Result, RunArguments } from "../protocol.ts";
import type { ResultsView } from "./results.ts";
import type { Server } from "./server.ts";

/** Runs kernels and hands what comes out to the results view. */
export class Runs implements vscode.Disposable {
  /** What the view shows now: a slider runs it again. */
  private current: RunArguments | undefined;
  private cancellation: vscode.CancellationTokenSource | undefined;
  /** The previews that are on their way. */
  private frames: Promise<unknown> = Promise.resolve();

  private readonly server: Server;
  private readonly view: ResultsView;
  private readonly memory: vscode.Memento;

  constructor(server: Server, view: ResultsView, memory: vscode.Memento) {
    this.server = server;
    this.view = view;
    this.memory = memory;
    view.onRun(({ params, quick }) => {
      if (!this.current) return;
      const wanted = { ...this.current, params };
      this.current = wanted;
      if (quick) this.frames = Promise.all([this.frames, this.frame(wanted)]);
      else void this.frames.then(() => this.run(wanted));
    });
    view.onCompare(() => {
      if (this.current) void this.compare(this.current);
    });
    view.onCancel(() => this.cancellation?.cancel());
  }

  async run(wanted: RunArguments): Promise<void> {
    if (!isTrusted()) return;
    await this.withCancellation(wanted, async (token) => {
      const result = await this.server.command<Result>("kcheck.run", wanted, token);
      this.current = wanted;
      await this.view.result(result);
    });
  }

  async compare(wanted: RunArguments): Promise<void> {
    if (!isTrusted()) return;
    await this.withCancellation(wanted, async (token) => {
      const comparison = await this.server.command<Comparison>("kcheck.compare", wanted, token);
      await this.view.comparison(comparison, wanted.uri);
    });
  }

  /** A preview. The server leaves out those that wait while a newer one comes; the view hears of each. */
  private async frame(wanted: RunArguments): Promise<void> {
    try {
      const request = { ...wanted, quick: true, pictureFiles: true };
      this.view.frame(await this.server.command<Result>("kcheck.run", request));
    } catch (error) {
      if (dataOf(error).superseded) this.view.skipped();
      else this.view.failed(messageOf(error));
    }
  }

  /** Shows that a run goes on; the run before it is cancelled. What is missing is asked for, once. */
  private async withCancellation(
    wanted: RunArguments,
    work: (token: vscode.CancellationToken) => Promise<void>,
  ): Promise<void> {
    this.cancellation?.cancel();
    const cancellation = new vscode.CancellationTokenSource();
    this.cancellation = cancellation;
    this.view.running(wanted);
    try {
      await work(cancellation.token);
    } catch (error) {
      if (cancellation.token.isCancellationRequested) {
        this.view.idle();
        return;
      }
      const { needs = [] } = dataOf(error);
      if (needs.length > 0 && !wanted.values) {
        const values = await this.ask(wanted, needs);
        if (values) await this.run({ ...wanted, ask: false, ...values });
        else this.view.idle();
        return;
      }
      this.view.failed(messageOf(error));
    } finally {
      if (this.cancellation === cancellation) this.cancellation = undefined;
      cancellation.dispose();
    }
  }

  /** Asks for the values of ports and params, and remembers them for the next time. */
  private async ask(wanted: RunArguments, needs: readonly Need[]): Promise<Pick<RunArguments, "values"> | undefined> {
    const key = `values:${wanted.uri}#${wanted.kernel}`;
    const remembered = this.memory.get<Record<string, string>>(key, {});
    const values: Record<string, string> = {};
    for (const [i, need] of needs.entries()) {
      const value = await vscode.window.showInputBox({
        title: `${wanted.kernel}: values (${i + 1} of ${needs.length})`,
        prompt: `${need.kind} ${need.name}: ${need.type}`,
        placeHolder: "[1, 2, 3], random((64, 64), seed=1), picture.png",
        value: remembered[need.name] ?? "",
        ignoreFocusOut: true,
      });
      if (value === undefined) return undefined;
      values[need.name] = value;
    }
    await this.memory.update(key, { ...remembered, ...values });
    return { values };
  }

  dispose(): void {
    this.cancellation?.cancel();
    this.cancellation?.dispose();
  }
}

/** Whether kernels may run here; says so where they may not. */
export function isTrusted(): boolean {
  if (vscode.workspace.isTrusted) return true;
  const manage = "Manage Trust";
  void vscode.window
    .showWarningMessage("Kernels are not run in a workspace that is not trusted.", manage)
    .then((answer) => answer && vscode.commands.executeCommand("workbench.trust.manage"));
  return false;
}

/** What the server adds to an error. */
function dataOf(error: unknown): { needs?: Need[]; superseded?: boolean } {
  if (!(error instanceof Error) || !("data" in error)) return {};
  return error.data ?? {};
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
