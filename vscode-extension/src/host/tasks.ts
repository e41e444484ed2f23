// The task `kcheck check`: all rules and laws over a folder, its findings in the Problems panel.
import * as vscode from "vscode";
import type { Server } from "./server.ts";

export const TASK = "kcheck";

interface Definition extends vscode.TaskDefinition {
  /** A file or folder; the whole folder of the workspace where there is none. */
  path?: string;
}

export class CheckTasks implements vscode.TaskProvider {
  private readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const tasks = await Promise.all(folders.map((folder) => this.task({ type: TASK }, folder)));
    return tasks.filter((task) => task !== undefined);
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const { scope } = task;
    const folder = typeof scope === "object" ? scope : vscode.workspace.workspaceFolders?.[0];
    return folder && this.task(task.definition, folder);
  }

  private async task(definition: Definition, folder: vscode.WorkspaceFolder): Promise<vscode.Task | undefined> {
    const program = await this.server.found();
    if (!program) return undefined;
    const args = [...program.args, "check", definition.path ?? "."];
    const execution = new vscode.ProcessExecution(program.command, args, { cwd: folder.uri.fsPath });
    const name = definition.path === undefined ? "check" : `check ${definition.path}`;
    const task = new vscode.Task(definition, folder, name, "kcheck", execution, "$kcheck");
    task.group = vscode.TaskGroup.Build;
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent };
    return task;
  }
}
