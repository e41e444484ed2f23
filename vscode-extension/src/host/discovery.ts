// Finds a kcheck to start: no part of this file knows VS Code, so that it can be tested alone.
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The oldest kcheck that has the server this extension speaks with. */
export const OLDEST = "0.1.0";
const PROBE_TIMEOUT_MS = 15_000;

export interface Candidate {
  command: string;
  args: string[];
  /** Where it comes from, as a message says it. */
  origin: string;
}

export interface Found extends Candidate {
  version: string;
}

export interface Refused {
  candidate: Candidate;
  reason: "missing" | "no kcheck" | "old" | "broken";
  detail: string;
}

export interface Places {
  /** The setting `kcheck.server.path`. */
  serverPath: string;
  /** The setting `kcheck.python`. */
  python: string;
  /** The interpreter of the active environment, where the Python extension tells one. */
  activePython: string | undefined;
  path: string;
  windows: boolean;
}

/** What to try, in order. A setting is the only candidate: nothing else runs behind the back of who set it. */
export async function candidates(places: Places): Promise<Candidate[]> {
  if (places.serverPath) {
    return [{ command: places.serverPath, args: [], origin: "the setting kcheck.server.path" }];
  }
  if (places.python) return [python(places.python, "the setting kcheck.python")];
  const found: Candidate[] = [];
  if (places.activePython) found.push(python(places.activePython, "the active Python environment"));
  const program = await onPath("kcheck", places);
  if (program) found.push({ command: program, args: [], origin: "the PATH" });
  const interpreter = await pythonOnPath(places);
  if (interpreter) found.push(python(interpreter, "the PATH"));
  return found;
}

function python(command: string, origin: string): Candidate {
  return { command, args: ["-m", "kcheck"], origin };
}

export async function pythonOnPath(places: Pick<Places, "path" | "windows">): Promise<string | undefined> {
  return (await onPath("python3", places)) ?? (await onPath("python", places));
}

async function onPath(name: string, places: Pick<Places, "path" | "windows">): Promise<string | undefined> {
  const file = places.windows ? `${name}.exe` : name;
  for (const folder of places.path.split(delimiter)) {
    if (!folder) continue;
    const full = join(folder, file);
    try {
      await access(full, constants.X_OK);
      return full;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** The first candidate that is new enough, and why the ones before it are not taken. */
export async function choose(all: readonly Candidate[]): Promise<{ found: Found | undefined; refused: Refused[] }> {
  const refused: Refused[] = [];
  for (const candidate of all) {
    const answer = await probe(candidate);
    if ("version" in answer) return { found: answer, refused };
    refused.push(answer);
  }
  return { found: undefined, refused };
}

async function probe(candidate: Candidate): Promise<Found | Refused> {
  const { code, output } = await versionOf(candidate);
  const version = /^kcheck (\d+(?:\.\d+)*)/m.exec(output)?.[1];
  if (version !== undefined && code === 0) {
    if (isOlder(version, OLDEST)) return { candidate, reason: "old", detail: version };
    return { ...candidate, version };
  }
  if (code === "ENOENT") return { candidate, reason: "missing", detail: candidate.command };
  if (output.includes("No module named kcheck")) {
    return { candidate, reason: "no kcheck", detail: candidate.command };
  }
  return { candidate, reason: "broken", detail: output.trim() || `it ended with ${code}` };
}

function versionOf({ command, args }: Candidate): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve) => {
    execFile(command, [...args, "--version"], { timeout: PROBE_TIMEOUT_MS }, (error, stdout, stderr) => {
      const code = error ? (error.code ?? error.signal ?? "no answer") : 0;
      resolve({ code, output: stdout + stderr });
    });
  });
}

/** Whether a dotted version comes before another: "0.9" before "0.10". */
export function isOlder(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map(Number)) as [number[], number[]];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** What to tell where no candidate can be used. */
export function explain(refused: readonly Refused[]): string {
  const first = refused[0];
  if (!first) {
    return 'Python is missing. Install Python 3.11 or newer, then: python3 -m pip install "kcheck[jit,lsp]"';
  }
  const { command, origin } = first.candidate;
  switch (first.reason) {
    case "missing":
      return `${origin} names ${command}, which does not exist.`;
    case "no kcheck":
      return `kcheck is not installed in ${command} (${origin}). Install it with: ${command} -m pip install "kcheck[jit,lsp]"`;
    case "old":
      return (
        `kcheck ${first.detail} of ${origin} is too old; this extension needs ${OLDEST} or newer. ` +
        "Bring it up to date with: pip install --upgrade kcheck"
      );
    case "broken":
      return `kcheck of ${origin} (${command}) does not start: ${first.detail}`;
  }
}
