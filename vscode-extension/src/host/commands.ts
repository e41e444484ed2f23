import * as vscode from "vscode";
import type { RunArguments, Shown } from "../protocol.ts";
import { kernelAt, type KernelHead, kernelHeads } from "../text/kernels.ts";
import type { MadeDocuments } from "./documents.ts";
import { isTrusted, messageOf, type Runs } from "./runs.ts";
import type { Server } from "./server.ts";
import type { WitnessView } from "./witness.ts";

export interface Parts {
  server: Server;
  runs: Runs;
  witness: WitnessView;
  documents: MadeDocuments;
}

/** Where a command begins: the active document, and the kernel under the cursor. */
interface Target {
  uri: string;
  kernel: KernelHead;
}

/** Handles the server's commands that lenses and quick fixes call, where a view of ours shows the answer. */
export function intercepted(
  parts: Pick<Parts, "runs" | "witness">,
  command: string,
  args: unknown[],
): Thenable<unknown> | undefined {
  const [argument] = args as [RunArguments & { law?: string }];
  switch (command) {
    case "kcheck.run":
      return parts.runs.run(argument);
    case "kcheck.compare":
      return parts.runs.compare(argument);
    case "kcheck.witness":
      return parts.witness.open(argument.uri, argument.kernel, argument.law);
    default:
      return undefined;
  }
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { server, runs, witness, documents } = parts;
  const show = (what: Shown) => onKernel(({ uri, kernel }) => documents.open({ uri, kernel: kernel.name, what }));
  const commands: Record<string, (...args: never[]) => unknown> = {
    run: onKernel(({ uri, kernel }) => runs.run({ uri, kernel: kernel.name })),
    runValues: onKernel(({ uri, kernel }) => runs.run({ uri, kernel: kernel.name, ask: true })),
    runExample: onKernel((target) => runExample(runs, target)),
    compare: onKernel(({ uri, kernel }) => runs.compare({ uri, kernel: kernel.name })),
    showWitness: (given?: { uri: string; kernel: string; law?: string }) =>
      given?.kernel
        ? witness.open(given.uri, given.kernel, given.law)
        : onKernel(({ uri, kernel }) => witness.open(uri, kernel.name))(),
    showWgsl: show("wgsl"),
    showLlvm: show("llvm"),
    showIr: show("ir"),
    showSmt: show("smt"),
    newPackage: () => newPackage(server),
    restart: () => server.restart(),
    doctor: () => doctor(server, documents),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`kcheck.client.${name}`, run));
}

/** Brings a kernel's head into sight. */
export async function reveal(uri: string, kernel: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const editor = await vscode.window.showTextDocument(document, shown?.viewColumn ?? vscode.ViewColumn.One);
  const head = kernelHeads(document.getText()).find(({ name }) => name === kernel);
  if (!head) return;
  const position = document.positionAt(head.offset);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** A command on the kernel under the cursor; says so where there is none. */
function onKernel(run: (target: Target) => unknown): () => unknown {
  return () => {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== "kernel") {
      void vscode.window.showInformationMessage("Open a .kernel file first.");
      return undefined;
    }
    const { document, selection } = editor;
    const kernel = kernelAt(kernelHeads(document.getText()), document.offsetAt(selection.active));
    if (!kernel) {
      void vscode.window.showInformationMessage("This file has no kernel.");
      return undefined;
    }
    return run({ uri: document.uri.toString(), kernel });
  };
}

async function runExample(runs: Runs, { uri, kernel }: Target): Promise<void> {
  if (kernel.examples.length === 0) {
    void vscode.window.showInformationMessage(`${kernel.name} has no example.`);
    return;
  }
  const example = await vscode.window.showQuickPick(kernel.examples, { title: `Run an example of ${kernel.name}` });
  if (example !== undefined) await runs.run({ uri, kernel: kernel.name, example });
}

async function newPackage(server: Server): Promise<void> {
  if (!isTrusted()) return;
  const folders = await vscode.window.showOpenDialog({
    title: "The folder that the package goes into",
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: "Choose",
  });
  const folder = folders?.[0];
  if (!folder) return;
  const name = await vscode.window.showInputBox({
    title: "The package's name",
    value: "shapes",
    validateInput: (text) => (/^[A-Za-z_]\w*$/.test(text) ? undefined : "letters, digits and _, no digit first"),
  });
  if (name === undefined) return;
  try {
    const { uri } = await server.command<{ uri: string }>("kcheck.newPackage", { uri: folder.toString(), name });
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { viewColumn: vscode.ViewColumn.One });
  } catch (error) {
    void vscode.window.showErrorMessage(messageOf(error));
  }
}

async function doctor(server: Server, documents: MadeDocuments): Promise<void> {
  try {
    const { text } = await server.command<{ text: string }>("kcheck.doctor", {});
    await documents.openText("doctor", text);
  } catch (error) {
    void vscode.window.showErrorMessage(messageOf(error));
  }
}
