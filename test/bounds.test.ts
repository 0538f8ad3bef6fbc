// The table of bounds, docs/limits.md, is complete: a limit or a call that is added without a row
// in generate/limits.ts fails here, and so does a bound that no test names.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { bounds, groups } from "../generate/limits.ts";
import { methods } from "./harness/contract.ts";

const root = join(import.meta.dirname, "..");

/** The sources below a folder by their paths, with forward slashes. */
function sourcesIn(folder: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [
      `${folder}/${path.replaceAll("\\", "/")}`,
      readFileSync(join(root, folder, path), "utf8"),
    ]);
}

/** Limits that no caller meets: of our own work, of formats, or of what an operator says. */
const ours: readonly RegExp[] = [
  // Part of another one, or repeated by the contract.
  /^src\/gateway\/call\/elements\.ts parserLimits$/,
  /^src\/port\/limits\.ts portLimits$/,
  /^src\/api\/account\/registration\.ts /,
  // What the log and its file hold together: one command's events, and work between two looks.
  /^src\/store\//,
  /^src\/execute\/command\.ts /,
  /^src\/(?:config\/setting|start\/(?:erase-asked|retain|supervisor))\.ts /,
  /^src\/log\/(?:erasures|ids|maintain|open-history)\.ts /,
  // How much of what is there is shown on a page.
  /^src\/provider\/account\/activity\.ts /,
  // What this process remembers to be faster.
  /^src\/provider\/(?:base\/client-streams|library\/clients|token\/envelope)\.ts /,
  // How much is read of what an operator has chosen.
  /^src\/log\/(?:head-places|erasure-places|read-entries)\.ts /,
  /^src\/start\/logger\.ts pieceBytesMax$/,
  // Rules of a format, whose texts have a bound anyway; docs/refusals.md tells what breaks them.
  /^src\/secrets\//,
  /^src\/domain\/(?:user\/human\/email|app\/app|action|project|user\/state\/user)\.ts /,
  /^src\/saml\/metadata\.ts /,
  /^src\/api\/user\/query\.ts /,
  // How we say and write things.
  /^src\/gateway\/(?:call\/violation-texts|call\/pieces|connect\/early-end|native\/call)\.ts /,
  /^src\/notify\/(?:message\/compose|channel\/email)\.ts /,
  // Parts of a fetch, which has its bounds in time and number.
  /^src\/fetch\//,
];

test("each limit in the sources has a row", () => {
  const known = new Set([
    ...bounds().map(({ file, name }) => `${file} ${name}`),
    ...groups.map(({ file }) => file),
  ]);
  const found = sourcesIn("src").flatMap(([path, text]) => {
    const objects = [...text.matchAll(/^(?:export )?const (\w*[lL]imits)\b/gm)];
    const numbers = [...text.matchAll(/^(?:export )?const (\w+Max)\b = /gm)];
    return [
      ...objects.filter(() => !known.has(path)).map(([, name]) => `${path} ${name}`),
      ...numbers.map(([, name]) => `${path} ${name}`).filter((one) => !known.has(one)),
    ];
  });
  expect(found.filter((one) => !ours.some((pattern) => pattern.test(one)))).toEqual([]);
});

test("each call has a row", () => {
  const text = readFileSync(join(root, "docs/limits.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([\w.]+\/\w+)` \|/gm)].map(([, name]) => name);
  const calls = methods.map(({ parent, name }) => `${parent.typeName}/${name}`);
  expect([...rows].sort()).toEqual([...calls].sort());
});

/** Tests that have a bound in other words, which they must have still. */
const inOtherWords: { readonly [name: string]: readonly [file: string, words: string] } = {
  limitDefault: ["test/cases/lists.ts", "has 100 objects on a page"],
  passwordBytesMax: ["test/secrets/passwords/passwords.test.ts", '"x".repeat(1_025)'],
  passwordsWaitingMax: ["test/config/limits.test.ts", "limits.passwords.waitingMax"],
};

test("each bound is named by a test", () => {
  const tests = sourcesIn("test").filter(([path]) => path !== "test/bounds.test.ts");
  const isNamed = (name: string) => {
    const [file, words] = inOtherWords[name] ?? [];
    return words === undefined
      ? tests.some(([, text]) => new RegExp(`\\b${name}\\b`).test(text))
      : tests.some(([path, text]) => path === file && text.includes(words));
  };
  const names = bounds().map(({ name }) => name);
  expect(names.filter((name) => !isNamed(name))).toEqual([]);
});
