import { beforeEach, expect, test } from "@jest/globals";
import { type ClientMetadata, Provider } from "oidc-provider";
import { madeClientsCharacters, ofMade } from "../../src/provider/library/clients.ts";
import { megabytesOf, partOfRequest } from "../harness/heap.ts";

let rows: Map<string, ClientMetadata>;
let library: Provider;

beforeEach(() => {
  rows = new Map();
  library = new Provider("http://localhost:1", {
    jwks: { keys: [] },
    clientDefaults: { id_token_signed_response_alg: "HS256" },
    enabledJWA: { idTokenSigningAlgValues: ["HS256"] },
    adapter: () => ({ find: async (id: string) => rows.get(id) }) as never,
    features: { devInteractions: { enabled: false } },
  });
  for (const { apply } of ofMade) apply(library, undefined as never);
});

/** An application whose metadata has so many characters as JSON. */
function put(id: string, characters = 1_000): void {
  const uri = "https://app.example.com/";
  const row = { client_id: id, client_secret: "s", redirect_uris: [uri] };
  const missing = characters - JSON.stringify(row).length;
  rows.set(id, { ...row, redirect_uris: [uri.padEnd(uri.length + missing, "x")] });
}

const find = (id: string) => library.Client.find(id);

test("a client is made once of the same row, and anew of another one", async () => {
  put("a");
  const first = await find("a");
  expect(first?.clientId).toBe("a");
  expect(await find("a")).toBe(first);
  put("a", 1_001);
  expect(await find("a")).not.toBe(first);
  for (const id of ["b", "", undefined]) expect(await find(id as string)).toBeUndefined();
});

test.each([
  [0, "is remembered with"],
  [1, "is forgotten for"],
])(
  "settings that fill the memory: %i past `madeClientsCharacters`, the first client %s the next",
  async (past) => {
    const half = madeClientsCharacters / 2;
    put("a", half);
    put("b", half + past);
    const made = [await find("a"), await find("b")];
    expect((await find("b")) === made[1]).toBe(true);
    expect((await find("a")) === made[0]).toBe(past === 0);
  },
);

test("names that keep a request: a client is remembered without the form", async () => {
  const kept = await megabytesOf(async () => {
    for (let n = 100; n < 200; n += 1) {
      const id = partOfRequest(`client ${n} of a project`);
      put(id);
      await find(id);
      rows.clear();
    }
    return library;
  });
  expect(kept).toBeLessThan(10);
});
