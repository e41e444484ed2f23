// Makes an environment with kcheck in it, for those who have none. No part of this file knows VS Code.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

export const PACKAGE = "kcheck[lsp,jit]";

export interface Steps {
  /** The interpreter that makes the environment. */
  python: string;
  /** The folder that `.venv` goes into. */
  folder: string;
  windows: boolean;
  signal: AbortSignal;
  /** Hears each step, and each line that a step prints. */
  said: (line: string) => void;
}

/** Makes `.venv`, unless it is there, and installs kcheck into it; answers its interpreter. What is half made goes. */
export async function install({ python, folder, windows, signal, said }: Steps): Promise<string> {
  const environment = join(folder, ".venv");
  const interpreter = join(environment, windows ? "Scripts/python.exe" : "bin/python");
  const isNew = !existsSync(environment);
  try {
    if (isNew) await run(python, ["-m", "venv", environment], { signal, said });
    await run(interpreter, ["-m", "pip", "install", PACKAGE], { signal, said });
    return interpreter;
  } catch (error) {
    if (isNew) await rm(environment, { recursive: true, force: true });
    throw error;
  }
}

function run(command: string, args: string[], { signal, said }: Pick<Steps, "signal" | "said">): Promise<void> {
  said(`> ${[command, ...args].join(" ")}`);
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(command, args, { signal, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        said(data.toString().trimEnd());
      });
    }
    let stopped: Error | undefined;
    child.once("error", (error) => {
      stopped = error;
      if (child.pid === undefined) reject(error); // it never ran, so it does not close either
    });
    child.once("close", (code) => {
      if (stopped) reject(stopped);
      else if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code ?? "a signal"}`));
    });
  });
}
