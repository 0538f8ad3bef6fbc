import { readFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
/** What a bundle is made of, and where `main.js` looks for it. */
const [from, to] = [join(root, "src/main.ts"), join(root, "bundle")];

/** Packages that stay where they are. */
const external = [
  // With native code, files or threads beside them.
  ...["@node-rs/argon2", "@node-rs/bcrypt", "better-sqlite3", "pg", "piscina", "quickjs-wasi"],
  // Of CommonJS and loaded later: in a bundle `import()` would find no names in them.
  ...["@zxcvbn-ts/language-common", "undici"],
];

/**
 * Has own files find what lies beside them in `src/` or `gen/`: files that they read, and those of
 * threads, which load the sources.
 */
const places: Plugin = {
  name: "places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:src|gen)\/[^\n]*\.[jt]s$/ }, async ({ path }) => {
      if (path.includes("/node_modules/")) return undefined;
      const place = JSON.stringify(relative(to, path));
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`)
        .replaceAll("import.meta.filename", JSON.stringify(basename(path)));
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    }),
};

/**
 * Takes a module of Node that has a client of its own without that: an import names all that a
 * module has, which loads it.
 */
const clientless: Plugin = {
  name: "clientless",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === "require-call" ? undefined : { path: "node:http", namespace: "clientless" },
    );
    onLoad({ filter: /^/, namespace: "clientless" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
  },
};

// What is loaded later stays in files of its own. Packages of CommonJS ask for modules of Node.
const { metafile } = await build({
  ...{ entryPoints: [from], outdir: to, plugins: [places, clientless], external },
  ...{ bundle: true, splitting: true, format: "esm", platform: "node", target: "node22" },
  banner: {
    js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);',
  },
  ...{ logLevel: "warning", metafile: true },
});
const later = Object.values(metafile.inputs).flatMap(({ imports }) =>
  imports.filter(({ kind }) => kind === "dynamic-import"),
);
const nameless = later.find(({ path }) => metafile.inputs[path]?.format === "cjs");
if (nameless !== undefined) {
  throw new Error(`${nameless.path} is CommonJS and loaded by import(): name it in external`);
}
