import { describe, expect, test } from "@jest/globals";
import { Provider } from "oidc-provider";
import { patches, registered } from "../../src/provider/library/patches.ts";
import { ownerOf } from "../../src/provider/library/replace.ts";

/** Each member that is replaced is there, in the form that is relied on: an upgrade may move it. */

const library = new Provider("http://localhost:1", {
  jwks: { keys: [] },
  adapter: () => ({}) as never,
  features: { devInteractions: { enabled: false } },
});

/** A member as it is declared, by whatever class of those that inherit it. */
function declared(member: string): PropertyDescriptor | undefined {
  const [place, name] = ownerOf(library, member);
  for (let at: object | null = place; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

describe("the library still has", () => {
  test.each([...patches, ...registered])("$member", ({ member, takes }) => {
    const { get, value } = declared(member) ?? {};
    expect({ get: typeof get, takes: value?.length }).toEqual(
      takes === undefined ? { get: "function", takes: undefined } : { get: "undefined", takes },
    );
    expect(typeof (get ?? value)).toBe("function");
  });
});

test("each member is replaced once, and it is said why and what fails without", () => {
  const members = [...patches, ...registered].map(({ member }) => member);
  expect(members).toEqual([...new Set(members)]);
  for (const { why, without } of [...patches, ...registered]) {
    expect([why, without]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
  }
});
