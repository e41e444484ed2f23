// Expands a snippet as somebody would who takes each proposal as it is.

/** The text of a snippet: defaults for its places, first choices, and each place the same wherever it is named. */
export function expand(body: readonly string[]): string {
  const text = body.join("\n");
  const values = new Map<string, string>();
  const fill = (part: string): string => {
    let result = "";
    for (let at = 0; at < part.length; ) {
      const rest = part.slice(at);
      const escape = /^\\([$}\\])/.exec(rest);
      const plain = /^\$(\d+)/.exec(rest);
      const choice = /^\$\{(\d+)\|([^,|]*)[^|]*\|\}/.exec(rest);
      const place = /^\$\{(\d+):/.exec(rest);
      if (escape) {
        result += escape[1] ?? "";
        at += 2;
      } else if (plain) {
        result += values.get(plain[1] ?? "") ?? "";
        at += plain[0].length;
      } else if (choice) {
        values.set(choice[1] ?? "", choice[2] ?? "");
        result += choice[2] ?? "";
        at += choice[0].length;
      } else if (place) {
        const end = closing(part, at + place[0].length);
        const inner = fill(part.slice(at + place[0].length, end));
        values.set(place[1] ?? "", inner);
        result += inner;
        at = end + 1;
      } else {
        result += part.charAt(at++);
      }
    }
    return result;
  };
  return fill(text);
}

/** Where the brace closes that was opened before `start`; braces of the language's own are escaped there. */
function closing(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.startsWith("${", at)) depth++;
    else if (text.charAt(at) === "}" && --depth === 0) return at;
  }
  throw new Error(`a place has no end: ${text.slice(start)}`);
}
