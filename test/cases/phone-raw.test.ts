import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { startServer, type TestServer } from "../harness/server.ts";

/** People and phones as curl sees them: which members answers have, and odd JSON. */

let clock = 1_900_000_000_000;
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ now: () => clock });
});

afterAll(() => server.close());

async function send(path: string, body: string | undefined, method = "POST") {
  const authorization = `Bearer ${server.admin.token}`;
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization, ...type },
    ...(body === undefined ? {} : { body }),
  });
  const json = (await response.json()) as { readonly [member: string]: unknown };
  return { status: response.status, json };
}

const importPath = "/management/v1/users/human/_import";
const details = {
  sequence: expect.stringMatching(/^\d+$/),
  changeDate: expect.stringMatching(/^20\d\d-.*Z$/),
  resourceOwner: expect.any(String),
};

function human(more = "", email = '"isEmailVerified": false') {
  const profile = '"profile": {"firstName": "Ada", "lastName": "Lovelace"}';
  const address = `"email": {"email": "ada@example.com", ${email}}`;
  return `{"userName": "${v7()}", ${profile}, ${address}${more}}`;
}

async function givenPerson(): Promise<string> {
  const { json } = await send(importPath, human(', "phone": {"phone": "+41446681800"}'));
  return String(json.userId);
}

describe("the answer of ImportHumanUser", () => {
  test("has an id and details, and no more", async () => {
    expect(await send(importPath, human())).toEqual({
      status: 200,
      json: {
        userId: expect.any(String),
        details: { ...details, creationDate: details.changeDate },
      },
    });
  });

  test("has a link where it was asked for, with both names of its lifetime", async () => {
    const { json } = await send(importPath, human(', "requestPasswordlessRegistration": true'));
    const link =
      /^https:\/\/iam\.example\.com\/ui\/passwordless\/init\?userID=[\w-]+&orgID=[\w-]+&/;
    expect(json.passwordlessRegistration).toEqual({
      link: expect.stringMatching(link),
      lifetime: "3600s",
      expiration: "3600s",
    });
  });
});

describe("a request to import", () => {
  test.each([
    [
      "names in snake case",
      human(', "password_change_required": true', '"is_email_verified": true'),
    ],
    ["null for what is absent", human(', "phone": null, "password": null, "idps": null')],
    ["a gender by number", human().replace('"lastName"', '"gender": 1, "lastName"')],
  ])("takes %s", async (_, body) => {
    expect((await send(importPath, body)).status).toBe(200);
  });

  test.each([
    ["a typo in a flag", human("", '"isEmailVerifed": true')],
    ["a flag as text", human("", '"isEmailVerified": "true"')],
    ["a flag as a number", human("", '"isEmailVerified": 1')],
    ["a field twice", human(', "password": "correct horse", "password": "horse correct"')],
    ["a name of a gender that is none", human().replace('"lastName"', '"gender": "X", "lastName"')],
    ["a password that is no text", human(', "password": {}')],
    ["half a character in a password", human(', "password": "correct \\ud800 horse"')],
    ["half a character in an address", human().replace("ada@", "ada\\udc00@")],
  ])("refuses %s", async (_, body) => {
    const before = await server.head();
    const { status, json } = await send(importPath, body);
    expect([status, json.code]).toEqual([400, 3]);
    expect(await server.events(before)).toEqual([]);
  });
});

describe("the answers about phones", () => {
  test("have the details that are documented, and no date of creation", async () => {
    const user = `/v2/users/${await givenPerson()}`;
    clock += 30_000;
    const resent = await send(`${user}/phone/resend`, '{"returnCode": {}}');
    const { verificationCode } = resent.json;
    const verified = await send(`${user}/phone/verify`, JSON.stringify({ verificationCode }));
    const removed = await send(`${user}/phone`, "{}", "DELETE");
    clock += 30_000;
    const set = await send(`${user}/phone`, '{"phone": "+41446681800", "sendCode": {}}');

    const code = expect.stringMatching(/^[A-Z2-9]{6}$/);
    expect(resent).toEqual({ status: 200, json: { details, verificationCode: code } });
    for (const answer of [verified, removed, set]) {
      expect(answer).toEqual({ status: 200, json: { details } });
    }
  });

  test("RemovePhone needs no body", async () => {
    const path = `/v2/users/${await givenPerson()}/phone`;
    expect(await send(path, undefined, "DELETE")).toMatchObject({ status: 200 });
  });

  test("the user of the path counts, not that of the body", async () => {
    const [one, other] = [await givenPerson(), await givenPerson()];
    const body = JSON.stringify({ userId: other, phone: "+16502530000", isVerified: true });
    const before = await server.head();
    expect(await send(`/v2/users/${one}/phone`, body)).toMatchObject({ status: 200 });
    const streams = (await server.events(before)).map(({ stream }) => stream);
    expect(streams).toEqual([`user-${one}`, `user-${one}`]);
  });

  test("two ways to verify are one too many", async () => {
    const path = `/v2/users/${await givenPerson()}/phone`;
    const body = '{"phone": "+16502530000", "isVerified": true, "returnCode": {}}';
    expect(await send(path, body)).toMatchObject({ status: 400, json: { code: 3 } });
  });
});
