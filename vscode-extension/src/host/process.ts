import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { LogOutputChannel } from "vscode";

const LONGEST_WORDS = 2000;

/** The process of a server. What it writes to its standard error goes to the log. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private words = "";
  private readonly command: string;
  private readonly args: readonly string[];
  private readonly log: LogOutputChannel;

  constructor(command: string, args: readonly string[], log: LogOutputChannel) {
    this.command = command;
    this.args = args;
    this.log = log;
  }

  start(): Promise<ChildProcess> {
    const child = spawn(this.command, this.args);
    child.stderr.on("data", (data: Buffer) => {
      const text = data.toString();
      this.words = (this.words + text).slice(-LONGEST_WORDS);
      this.log.info(text.trimEnd());
    });
    this.child = child;
    return Promise.resolve(child);
  }

  /** Makes sure that it has ended; its exit status, null after a signal, and what it said last. */
  async end(): Promise<{ status: number | null; words: string }> {
    const { child } = this;
    if (child?.exitCode === null && child.signalCode === null) {
      // It has closed its end of the line: it gets a moment to end with a status of its own.
      const timer = setTimeout(() => child.kill("SIGKILL"), 1000);
      await once(child, "exit");
      clearTimeout(timer);
    }
    return { status: child?.exitCode ?? null, words: this.words.trim() };
  }
}
