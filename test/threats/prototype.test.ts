import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { startServer, type TestServer } from "../harness/server.ts";

// Names that mean something to JavaScript mean nothing here: not at the top, not within, not in the
// one place where a request carries JSON of any form.

let server: TestServer;
let http: Http;

beforeAll(async () => {
  server = await startServer();
  http = createHttp(server.port);
});
afterEach(() => {
  // What a name has left in the prototype of everything.
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as { readonly planted?: unknown }).planted).toBe(undefined);
});
afterAll(async () => {
  http.close();
  await server.close();
});

const planted = '{"planted": true, "name": "planted", "isEmailVerified": true}';

async function outcomeOf(path: string, body: string): Promise<string> {
  const { outcome } = await http.send({ path, headers: bearer(server.admin.token), body });
  return outcome;
}

describe.each(["__proto__", "constructor", "prototype"])("CVE-2026-21710: %s", (name) => {
  test("as a field of a message is unknown", async () => {
    const before = await server.head();
    const body = `{"name": "${v7()}", "${name}": ${planted}}`;
    expect(await outcomeOf("/management/v1/projects", body)).toBe("3 MALFORMED_REQUEST");
    const within = `{"userName": "${v7()}", "profile": {"${name}": ${planted}}}`;
    const people = "/management/v1/users/human/_import";
    expect(await outcomeOf(people, within)).toBe("3 MALFORMED_REQUEST");
    expect(await server.events(before)).toEqual([]);
  });

  test("in JSON of any form gives it no members", async () => {
    const response = `{"${name}": {"clientDataJSON": "e30", "attestationObject": "oA"}}`;
    const rest = `{"id": "AA", "rawId": "AA", "type": "public-key", "response": ${response}}`;
    const credentials = [`{"${name}": ${rest}}`, rest];
    for (const credential of credentials) {
      const body = `{"userId": "a", "codeId": "b", "code": "c", "credential": ${credential}}`;
      const outcome = await outcomeOf("/iam.account.v1.AccountService/FinishPasskey", body);
      expect(["3 CODE_INVALID", "3 PASSKEY_INVALID", "3 MALFORMED_REQUEST"]).toContain(outcome);
    }
  });
});
