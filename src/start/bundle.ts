import { readFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
/** What a bundle is made of, and where `main.js` looks for it. */
const [from, to] = [join(root, "src/main.ts"), join(root, "bundle")];

/**
 * Has own files find what lies beside them in `src/` or `gen/`: files that they read, and those of
 * threads, which load the sources.
 */
const places: Plugin = {
  name: "places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:src|gen)\/[^\n]*\.[jt]s$/ }, async ({ path }) => {
      const place = JSON.stringify(relative(to, path));
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`)
        .replaceAll("import.meta.filename", JSON.stringify(basename(path)));
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    }),
};

// What is loaded later stays in files of its own, and packages stay where they are.
await build({
  ...{ entryPoints: [from], outdir: to, plugins: [places] },
  ...{ bundle: true, splitting: true, packages: "external", format: "esm", platform: "node" },
  ...{ target: "node22", logLevel: "warning" },
});
