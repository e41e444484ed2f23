// Offers to make an environment with kcheck in it. Nothing is made before somebody has said yes.
import * as vscode from "vscode";
import { pythonOnPath } from "./discovery.ts";
import { activePython } from "./environment.ts";
import { install, PACKAGE } from "./install.ts";
import { messageOf } from "./runs.ts";
import { setting } from "./settings.ts";

const WINDOWS = process.platform === "win32";

/** The interpreter that could make one; none where a setting names a kcheck, or nothing may be run. */
export async function pythonForEnvironment(): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted || !vscode.workspace.workspaceFolders || setting("server.path")) return undefined;
  const chosen = setting("python");
  if (chosen) return chosen;
  return (await activePython()) ?? pythonOnPath({ path: process.env.PATH ?? "", windows: WINDOWS });
}

export async function offerEnvironment(python: string, log: vscode.LogOutputChannel): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined) return;
  const create = "Create";
  const detail = `${python} makes .venv in ${folder}, and pip installs ${PACKAGE} into it from where it finds packages.`;
  const answer = await vscode.window.showInformationMessage(
    "Create an environment with kcheck?",
    { modal: true, detail },
    create,
  );
  if (answer !== create) return;
  try {
    const interpreter = await withProgress(python, folder, log);
    // The server starts anew with this.
    await vscode.workspace
      .getConfiguration("kcheck")
      .update("python", interpreter, vscode.ConfigurationTarget.Workspace);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    log.error(messageOf(error));
    const show = "Show Log";
    const message = `The environment could not be made: ${messageOf(error)}`;
    if ((await vscode.window.showErrorMessage(message, show)) === show) log.show();
  }
}

function withProgress(python: string, folder: string, log: vscode.LogOutputChannel): Thenable<string> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: "kcheck: creating .venv",
    cancellable: true,
  };
  return vscode.window.withProgress(options, (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => {
      abort.abort();
    });
    const said = (line: string): void => {
      log.info(line);
      progress.report({ message: line.split("\n").at(-1)?.slice(0, 80) ?? "" });
    };
    return install({ python, folder, windows: WINDOWS, signal: abort.signal, said });
  });
}
