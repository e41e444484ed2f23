import * as vscode from "vscode";

/** A setting of ours that is a text. */
export function setting(name: string): string {
  return vscode.workspace.getConfiguration("kcheck").get<string>(name, "").trim();
}
