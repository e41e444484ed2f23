// The active Python environment, as the Python extension tells it where there is one.
import * as vscode from "vscode";

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

const PYTHON_EXTENSION = "ms-python.python";

export async function activePython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  if (!extension) return undefined;
  const { environments } = await extension.activate();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return environment?.executable.uri?.fsPath;
}

/** Calls back whenever another environment is chosen; does nothing without the Python extension. */
export function onActivePythonChanged(changed: () => void): vscode.Disposable {
  const extension = vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION);
  const subscriptions: vscode.Disposable[] = [];
  void extension?.activate().then(({ environments }) => {
    subscriptions.push(environments.onDidChangeActiveEnvironmentPath(changed));
  });
  return new vscode.Disposable(() => {
    for (const subscription of subscriptions) subscription.dispose();
  });
}
