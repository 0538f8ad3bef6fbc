import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { flagOf } from "../../src/config/config.ts";
import { settings } from "../../src/config/settings.ts";
import { inFull } from "../harness/in-full.ts";

/** The guard is plain JavaScript, which the compiler knows nothing of. */
interface Guard {
  problemOf(version: string, range: string): string | undefined;
}

const root = join(import.meta.dirname, "../..");
const guard: string = join(root, "src/start/node.js");
const { problemOf } = (await import(guard)) as Guard;
const main = join(root, "src/main.js");

const sentenceAbout = (version: string) =>
  `This is Node ${version}, and the service needs Node 22.18 or newer: ` +
  "`make run` installs one and serves with it; from then on `npx node src/main.js` runs every command.";

describe("the version of Node", () => {
  test.each(["14.0.0", "18.20.8", "20.20.2", "22.17.1", "22.9.0"])(
    "%s is refused with the way to the right one",
    (version) => expect(problemOf(version, ">=22.18")).toBe(sentenceAbout(version)),
  );

  test.each(["22.18.0", "22.100.0", "23.6.0", "24.21.0", "100.1.0"])("%s is right", (version) => {
    expect(problemOf(version, ">=22.18")).toBeUndefined();
  });
});

/** A Node of this machine that the service does not run on, and its version. */
function findOldNode(): { readonly path: string; readonly version: string } | undefined {
  const directories = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"];
  return directories
    .map((directory) => join(directory, "node"))
    .map((path) => ({ path, version: spawnSync(path, ["--version"]).stdout?.toString() ?? "" }))
    .map(({ path, version }) => ({ path, version: version.trim().slice(1) }))
    .find(({ version }) => version !== "" && problemOf(version, ">=22.18") !== undefined);
}

const old = findOldNode();
/** Nothing can take the place of an old Node: where the machine has none, the test is skipped. */
const testWithOldNode = old === undefined ? test.skip : test;

describe("the service", () => {
  testWithOldNode("on an old Node of this machine ends with one sentence", () => {
    const { path, version } = old!;
    for (const args of [[], ["verify"], ["--help"]]) {
      const { status, stdout, stderr } = spawnSync(path, [main, ...args], { encoding: "utf8" });
      expect([status, stdout, stderr]).toEqual([1, "", `${sentenceAbout(version)}\n`]);
    }
  });

  inFull("on its own Node runs the command line", () => {
    const { status, stdout } = spawnSync(process.execPath, [main, "--help"], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: npx node src\/main\.js /);
    expect(stdout).toContain(flagOf(settings.port.name));
  });
});
