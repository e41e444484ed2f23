import * as vscode from "vscode";
import type { FromWitness, ToWitness } from "../messages.ts";
import type { KernelStatus, Witness } from "../protocol.ts";
import { kernelNamed, lawText } from "./laws.ts";
import { Panel } from "./page.ts";
import { messageOf } from "./runs.ts";
import type { Server } from "./server.ts";
import type { StatusDisplay } from "./status.ts";

/** The view of a law that a merge breaks: the elements, two ways of merging them, and two results. */
export class WitnessView implements vscode.Disposable {
  private readonly panel: Panel<ToWitness, FromWitness>;
  private uri = "";
  private readonly revealAsked = new vscode.EventEmitter<{ uri: string; kernel: string }>();

  readonly onReveal = this.revealAsked.event;

  private readonly server: Server;
  private readonly status: StatusDisplay;

  constructor(extensionUri: vscode.Uri, server: Server, status: StatusDisplay) {
    this.server = server;
    this.status = status;
    this.panel = new Panel(extensionUri, "witness", "kcheck Witness", (message) => {
      if (message.type === "save") void this.save(message.kernel, message.law);
      if (message.type === "reveal") this.revealAsked.fire({ uri: this.uri, kernel: message.kernel });
    });
  }

  /** Shows why a law is refuted; without a law the kernel's first refuted one, or else all verdicts. */
  async open(uri: string, kernel: string, law?: string): Promise<void> {
    this.uri = uri;
    const known = kernelNamed(this.status.statusOf(vscode.Uri.parse(uri)), kernel);
    const laws = known?.laws ?? [];
    const refuted = law ?? laws.find(({ state }) => state === "refuted")?.law;
    if (refuted === undefined) {
      if (!known || laws.length === 0) {
        void vscode.window.showInformationMessage(`${kernel} has no merge, so there is nothing to prove.`);
        return;
      }
      this.panel.show();
      const verdicts = laws.map((one) => ({ law: one.law, state: one.state, text: lawText(one) }));
      this.panel.post({ type: "verdicts", kernel, verdicts, findings: findingsOf(uri, known) });
      return;
    }
    try {
      const witness = await this.server.command<Witness>("kcheck.witness", { uri, kernel, law: refuted });
      this.panel.show();
      this.panel.post({ type: "witness", witness });
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  private async save(kernel: string, law: string): Promise<void> {
    try {
      await this.server.command("kcheck.saveWitness", { uri: this.uri, kernel, law });
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  dispose(): void {
    this.panel.dispose();
    this.revealAsked.dispose();
  }
}

/** The findings that are about the laws of a kernel: those of the rules K4. */
function findingsOf(uri: string, { range: { start, end } }: KernelStatus): string[] {
  const kernel = new vscode.Range(start.line, start.character, end.line, end.character);
  return vscode.languages
    .getDiagnostics(vscode.Uri.parse(uri))
    .filter(({ code, range }) => codeOf(code).startsWith("K4") && kernel.contains(range))
    .map(({ message }) => message);
}

function codeOf(code: vscode.Diagnostic["code"]): string {
  return String(typeof code === "object" ? code.value : code);
}
