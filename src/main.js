// The way in for every Node: one that cannot read TypeScript is told so before it meets any.

import { readFileSync } from "node:fs";
import { problemOf } from "./start/node.js";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const problem = problemOf(process.versions.node, engines.node);

if (problem === undefined) {
  import("./main.ts");
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
