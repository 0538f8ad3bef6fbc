import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { idOf, mustExist, streamOf, unknownEvent } from "../../src/domain/noun.ts";
import { nounOf, nouns } from "../../src/domain/nouns.ts";

const kinds = nouns.map(({ kind }) => kind);

test("every file of the domain that makes a noun has it in the list", () => {
  const domain = join(import.meta.dirname, "../../src/domain");
  const made = sourcesIn(domain).flatMap((source) =>
    [...source.matchAll(/^export const (\w+): Noun</gm)].map(([, name]) => name),
  );
  expect(made.sort()).toEqual([...kinds].sort());
});

// Each noun's own test names the commands that the laws are held for.
test.each(kinds)("%s is put to the laws that hold for every noun", (kind) => {
  const held = sourcesIn(import.meta.dirname).filter((source) =>
    source.includes(`  holdLaws(${kind}, `),
  );
  expect(held).not.toEqual([]);
});

describe("the noun of a stream", () => {
  const ids = ["1", "", "-", "org-1", "user-app-1", "__proto__", "a b", "é"];

  test.each(kinds)("%s, whatever the id looks like", (kind) => {
    const streams = ids.map((id) => streamOf({ kind }, id));
    expect(streams.map((stream) => nounOf(stream).kind)).toEqual(ids.map(() => kind));
    expect(streams.map((stream) => idOf({ kind }, stream))).toEqual(ids);
  });

  test.each([
    ["action-1", "action"],
    ["app-1", "app"],
    ["idp-1", "idp"],
    ["instance-1", "instance"],
    ["org-0198c0de-0000-7000-8000-000000000000", "org"],
    ["project-app-1", "project"],
    ["user-user-", "user"],
    ["user-", "user"],
  ])("%s", (stream, kind) => {
    expect(nounOf(stream).kind).toBe(kind);
  });

  test.each(["", "-", "-1", "user", "users", "users-1", "User-1", "orgs", "apps-1", "__proto__-1"])(
    "is unknown for %j",
    (stream) => {
      expect(() => nounOf(stream)).toThrow(`no noun has streams like ${stream}`);
    },
  );
});

describe("a damaged log", () => {
  test("is told by an event that nobody knows", () => {
    const event = { type: "org.vanished" } as never;
    expect(() => unknownEvent(event)).toThrow('no case for the event {"type":"org.vanished"}');
  });

  test("is told by a missing first event", () => {
    expect(() => mustExist(undefined)).toThrow("the first event of the stream is missing");
    expect(mustExist(0)).toBe(0);
  });
});

/** The text of every file in the folder and those below it. */
function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
}
