import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** The page of a view: one script and one style sheet of the extension's own, and nothing from elsewhere. */
export function page(webview: vscode.Webview, extensionUri: vscode.Uri, name: string, title: string): string {
  const file = (base: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "out", base)).toString();
  const nonce = randomBytes(16).toString("base64");
  const policy = ["default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src ${webview.cspSource}`].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("style.css")}">
<title>${title}</title>
</head>
<body>
<main id="main"></main>
<script nonce="${nonce}" src="${file(`${name}.js`)}"></script>
</body>
</html>`;
}

/** A view of which there is at most one, beside the editor. */
export class Panel<To, From> implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private loaded = false;
  private queue: To[] = [];

  private readonly extensionUri: vscode.Uri;
  private readonly name: string;
  private readonly title: string;
  private readonly received: (message: From) => void;
  private readonly closed: () => void;

  constructor(
    extensionUri: vscode.Uri,
    name: string,
    title: string,
    received: (message: From) => void,
    closed: () => void = () => undefined,
  ) {
    this.extensionUri = extensionUri;
    this.name = name;
    this.title = title;
    this.received = received;
    this.closed = closed;
  }

  get isOpen(): boolean {
    return this.panel !== undefined;
  }

  /** Opens the view or brings it to the front; the editor keeps the keyboard. */
  show(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      `kcheck.${this.name}`,
      this.title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      {
        enableScripts: true,
        localResourceRoots: [vscode.Uri.joinPath(this.extensionUri, "out")],
        // A picture under a lens is not worth being made again whenever its tab is left.
        retainContextWhenHidden: true,
      },
    );
    panel.iconPath = vscode.Uri.joinPath(this.extensionUri, "icons", "kcheck.png");
    panel.webview.onDidReceiveMessage((message: From & { type: string }) => {
      if (message.type === "ready") this.ready();
      else this.received(message);
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.loaded = false;
      this.queue = [];
      this.closed();
    });
    panel.webview.html = page(panel.webview, this.extensionUri, this.name, this.title);
    this.panel = panel;
  }

  /** Sends a message once the page is there; lost where no view is open. */
  post(message: To): void {
    if (!this.panel) return;
    if (this.loaded) void this.panel.webview.postMessage(message);
    else this.queue.push(message);
  }

  private ready(): void {
    this.loaded = true;
    for (const message of this.queue.splice(0)) this.post(message);
  }

  dispose(): void {
    this.panel?.dispose();
  }
}
