import { describe, expect, test } from "@jest/globals";
import { existing, streamOf, unknownEvent } from "../../src/domain/noun.ts";
import { nounOf } from "../../src/domain/nouns.ts";

describe("the noun of a stream", () => {
  test.each([
    ["app-1", "app"],
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

  test("is the one whose stream it is, whatever the id looks like", () => {
    const kinds = ["app", "instance", "org", "project", "user"];
    const ids = ["1", "", "-", "org-1", "user-app-1", "__proto__", "a b", "é"];
    for (const kind of kinds) {
      expect(ids.map((id) => nounOf(streamOf({ kind }, id)).kind)).toEqual(ids.map(() => kind));
    }
  });
});

describe("a damaged log", () => {
  test("is told by an event that nobody knows", () => {
    const event = { type: "org.vanished" } as never;
    expect(() => unknownEvent(event)).toThrow('no case for the event {"type":"org.vanished"}');
  });

  test("is told by a missing first event", () => {
    expect(() => existing(undefined)).toThrow("the first event of the stream is missing");
    expect(existing(0)).toBe(0);
  });
});
