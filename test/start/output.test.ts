import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const main = join(import.meta.dirname, "../../src/main.js");

/** How the command ends whose output goes there, and what it says beside. */
function endsWith(target: string): readonly [number | null, string] {
  const script = `set -o pipefail; "$0" "$@" --help ${target}`;
  const { status, stderr } = spawnSync("bash", ["-c", script, process.execPath, main]);
  return [status, String(stderr)];
}

test("a command fails where what it says cannot be written, but not where nobody reads on", () => {
  expect(endsWith("> /dev/full")).toEqual([1, "The output could not be written: ENOSPC\n"]);
  expect(endsWith("| true")).toEqual([0, ""]);
});
