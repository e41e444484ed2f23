// Bundles the extension and the two views into out/.
import { build } from "esbuild";

const shared = { bundle: true, minify: true, legalComments: "none", logLevel: "warning", outdir: "out" };

await Promise.all([
  build({
    ...shared,
    entryPoints: { extension: "src/extension.ts" },
    platform: "node",
    target: "node20",
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    external: ["vscode"],
  }),
  build({
    ...shared,
    entryPoints: {
      results: "src/view/results.ts",
      witness: "src/view/witness.ts",
      style: "src/view/style.css",
    },
    platform: "browser",
    target: "es2022",
    format: "iife",
  }),
]);
