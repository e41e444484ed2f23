// Finds kernels and their examples in a text that may be half written, without asking the server.

export interface KernelHead {
  name: string;
  /** Where the word `kernel` stands, in UTF-16 units from the start. */
  offset: number;
  examples: string[];
}

const COMMENT_OR_STRING = /\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[^\r\n]|[^"\\\r\n])*"/g;
const HEAD = /\bkernel\s+([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*\s*@\s*\d+)|\bscene\s|\bexample\s+([A-Za-z_]\w*)\s*\{/g;

/** The kernels of a text, in order. */
export function kernelHeads(text: string): KernelHead[] {
  const code = text.replace(COMMENT_OR_STRING, (part) => " ".repeat(part.length));
  const kernels: KernelHead[] = [];
  let current: KernelHead | undefined;
  for (const match of code.matchAll(HEAD)) {
    const [, name, example] = match;
    if (name !== undefined) {
      current = { name: name.replace(/\s+/g, ""), offset: match.index, examples: [] };
      kernels.push(current);
    } else if (example !== undefined) {
      current?.examples.push(example);
    } else {
      current = undefined; // a scene's examples are not a kernel's
    }
  }
  return kernels;
}

/** The kernel that an offset lies in: the last that begins before it, or the first of all. */
export function kernelAt(kernels: readonly KernelHead[], offset: number): KernelHead | undefined {
  return kernels.findLast((kernel) => kernel.offset <= offset) ?? kernels[0];
}
