import { afterEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { bearer, createHttp, type Http, type HttpAnswer } from "../access/http.ts";
import { shortened } from "../harness/extent.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";

// An id names one thing for good: not another one later, and never one of another organization.

let server: TestServer;
let http: Http;
/** The id that is made next, where a test wants it to come again. */
let again: string | undefined;

async function start(): Promise<void> {
  again = undefined;
  server = await startServer({ newId: () => again ?? v7() });
  http = createHttp(server.port);
}

afterEach(async () => {
  http.close();
  await server.close();
});

async function ask(path: string, body: object, organization?: string): Promise<HttpAnswer> {
  const header = organization === undefined ? {} : { "x-service-orgid": organization };
  const headers = { ...bearer(server.admin.token), ...header };
  return await http.send({ path, headers, body: JSON.stringify(body) });
}

async function remove(path: string): Promise<void> {
  const headers = bearer(server.admin.token);
  const answer = await fetch(server.url + path, { method: "DELETE", headers });
  expect(answer.status).toBe(200);
}

const field = (answer: HttpAnswer, name: string) => String(JSON.parse(answer.text)[name]);
const root = "/management/v1";

/** Each kind of thing that is created, with its path, what is sent, and the id in the answer. */
const kinds: readonly (readonly [string, string, () => object, string])[] = [
  ["user", `${root}/users/machine`, () => ({ userName: v7(), name: "robot" }), "userId"],
  ["project", `${root}/projects`, () => ({ name: v7() }), "id"],
  ["action", `${root}/actions`, () => ({ name: v7(), script: "let a" }), "id"],
  [
    "idp",
    `${root}/idps/oidc`,
    () => ({ name: v7(), issuer: "https://a.example", clientId: "a", clientSecret: "b" }),
    "idpId",
  ],
];

const folders: { readonly [kind: string]: string } = {
  ...{ user: "users", project: "projects", action: "actions", idp: "idps" },
};

describe("CVE-2026-55670: an id that is used again", () => {
  test.each(shortened(kinds))(
    "%s: one that was removed names nothing any more",
    async (kind, path, body, id) => {
      await start();
      const first = field(await ask(path, body()), id);
      await remove(`${root}/${folders[kind]}/${first}`);
      const second = field(await ask(path, body()), id);
      expect(second).not.toBe(first);
      const headers = bearer(server.admin.token);
      const read = await fetch(`${server.url}${root}/${folders[kind]}/${first}`, { headers });
      expect(read.status).toBe(404);
    },
  );

  test.each(shortened(kinds))(
    "%s: one that is there is not written to by a second",
    async (kind, path, body, id) => {
      await start();
      const first = field(await ask(path, body()), id);
      await expectUnused(kind, path, body, first);
    },
  );

  test.each(shortened(kinds))("%s: nor is one that was removed", async (kind, path, body, id) => {
    await start();
    const first = field(await ask(path, body()), id);
    await remove(`${root}/${folders[kind]}/${first}`);
    await expectUnused(kind, path, body, first);
  });

  /** The id comes again, as if what makes them had begun anew, for another organization. */
  async function expectUnused(kind: string, path: string, body: () => object, id: string) {
    const other = await givenOrganization(server);
    const before = await server.store.readStream(`${kind}-${id}`, 0, 10);
    again = id;
    const answer = await ask(path, body(), other);
    expect(answer.outcome).toBe("10 CONFLICT");
    expect(await server.store.readStream(`${kind}-${id}`, 0, 10)).toEqual(before);
    again = undefined;
    expect((await ask(path, body(), other)).status).toBe(200);
  }
});
