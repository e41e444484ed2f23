// Tokens of a text, as VS Code's own tokenizer gives them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import textmate, { type IGrammar } from "vscode-textmate";
import oniguruma from "vscode-oniguruma";

const require = createRequire(import.meta.url);

export interface Token {
  text: string;
  /** From the outermost to the innermost, without `source.kernel`. */
  scopes: string[];
}

export async function loadGrammar(): Promise<IGrammar> {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: () => {
      const path = "syntaxes/kernel.tmLanguage.json";
      return Promise.resolve(textmate.parseRawGrammar(readFileSync(path, "utf8"), path));
    },
  });
  const grammar = await registry.loadGrammar("source.kernel");
  if (!grammar) throw new Error("the grammar does not load");
  return grammar;
}

/** The tokens of each line. */
export function tokenize(grammar: IGrammar, text: string): Token[][] {
  let state = textmate.INITIAL;
  return text.split("\n").map((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens.map(({ startIndex, endIndex, scopes }) => ({
      text: line.slice(startIndex, endIndex),
      scopes: scopes.slice(1).map((scope) => scope.replace(/\.kernel$/, "")),
    }));
  });
}
