// The way in for every Node: one that cannot read TypeScript is told so before it meets any.

import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { problemOf } from "./start/node.js";
import { resolveOwnFiles } from "./start/own-files.js";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const problem = problemOf(process.versions.node, engines.node);

if (problem === undefined) {
  // Next to the code, so that only who can change the code can change what is compiled of it;
  // where nobody may write there, or NODE_COMPILE_CACHE names another directory, nothing is lost.
  const beside = fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url));
  const cache = process.env.NODE_COMPILE_CACHE || beside;
  module.enableCompileCache?.(cache);
  // For threads, which look there on their own: each would load the compiler of TypeScript, 14 MiB.
  process.env.NODE_COMPILE_CACHE = cache;
  resolveOwnFiles(new URL("..", import.meta.url).href);
  // An installation has all in few files, which load in less time: see start/bundle.ts.
  const bundle = new URL("../bundle/main.js", import.meta.url);
  import(existsSync(bundle) ? bundle.href : "./main.ts");
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
