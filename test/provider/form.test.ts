import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addressFormBytesMax, tokenFormBytesMax } from "../../src/provider/forms.ts";
import { openRaw } from "../gateway/raw.ts";
import { basic } from "./asking.ts";
import { type App, begin, callback, type Parties, startParties } from "./relying.ts";

// Forms that do not say how long they are, which HTTP/2 leaves open, and HTTP/1.1 with chunks.

let parties: Parties;
let app: App;
let session: ClientHttp2Session;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
  session = connect(parties.server.url);
});
afterAll(async () => {
  session.close();
  await parties.close();
});

const type = "application/x-www-form-urlencoded";

/** Logs somebody in; answers the form with which the application fetches its tokens. */
async function codeForm(): Promise<string> {
  const person = await parties.givenPerson();
  const begun = await begin(app);
  const browser = parties.browser();
  await browser.open(begun.url.href);
  const back = await browser.send({ userName: person.userName, password: person.password });
  const code = String(new URL(back.url).searchParams.get("code"));
  const grant = { grant_type: "authorization_code", code, redirect_uri: callback };
  return new URLSearchParams({ ...grant, code_verifier: begun.verifier }).toString();
}

const wrongCode = `grant_type=authorization_code&redirect_uri=${callback}&code=`;
const known = () => basic(app.clientId, app.clientSecret);

/** Posts pieces of a form over HTTP/2; answers the status, the text and where that leads. */
async function post(path: string, pieces: readonly string[], more: object = known()) {
  const head = { ":method": "POST", ":path": path, "content-type": type, ...more };
  const stream = session.request(head, { endStream: false });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  const [headers] = await once(stream, "response");
  let text = "";
  for await (const chunk of stream) text += chunk;
  return { status: headers[":status"], text, location: headers.location };
}

/** An access token of somebody who has logged in. */
async function givenToken(): Promise<string> {
  const { text } = await post("/oauth/v2/token", [await codeForm()]);
  return JSON.parse(text).access_token;
}

describe("a form without content-length over HTTP/2", () => {
  test("fetches tokens, in however many pieces", async () => {
    const form = await codeForm();
    const { status, text } = await post("/oauth/v2/token", [form.slice(0, 9), form.slice(9)]);
    expect(status).toBe(200);
    const { access_token: token } = JSON.parse(text);
    const asked = await post("/oauth/v2/introspect", [`token=${token}`]);
    expect(JSON.parse(asked.text)).toMatchObject({ active: true });
    const revoked = await post("/oauth/v2/revoke", [`token=${token}`]);
    expect(revoked).toMatchObject({ status: 200, text: "" });
    const again = await post("/oauth/v2/introspect", [`token=${token}`]);
    expect(JSON.parse(again.text)).toEqual({ active: false });
  });

  test("is refused for what it says, and empty for what is missing", async () => {
    const wrong = await post("/oauth/v2/token", [`${wrongCode}x`]);
    expect(JSON.parse(wrong.text)).toMatchObject({ error: "invalid_grant" });
    const empty = await post("/oauth/v2/token", []);
    expect(JSON.parse(empty.text)).toMatchObject({
      error_description: "missing required parameter 'grant_type'",
    });
  });

  test("has so many bytes, and not one more", async () => {
    const of = (bytes: number) => wrongCode.padEnd(bytes, "x");
    const largest = await post("/oauth/v2/token", [of(tokenFormBytesMax)]);
    expect(JSON.parse(largest.text)).toMatchObject({ error: "invalid_grant" });
    const larger = await post("/oauth/v2/token", [of(tokenFormBytesMax + 1)]);
    expect(larger.status).toBe(400);
    expect(JSON.parse(larger.text)).toMatchObject({ error: "invalid_request" });
  });
});

test("a form in chunks over HTTP/1.1 fetches tokens", async () => {
  const form = await codeForm();
  const connection = await openRaw(parties.server.port);
  const { authorization } = known();
  const head = ["POST /oauth/v2/token HTTP/1.1", "host: localhost", `content-type: ${type}`];
  const rest = [`authorization: ${authorization}`, "transfer-encoding: chunked"];
  connection.write(`${[...head, ...rest].join("\r\n")}\r\n\r\n`);
  for (const piece of [form.slice(0, 9), form.slice(9)]) {
    connection.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  }
  connection.write("0\r\n\r\n");
  expect((await connection.answer()).status).toBe(200);
  await connection.close();
});

test.each([
  ...[`${type};charset="utf-8"`, `${type}; charset=ISO-8859-1`, `${type};`],
  ...[`${type} ;charset=utf-8`, type.toUpperCase()],
])("a form of the type %s is read wherever there is a token", async (contentType) => {
  const headers = { "content-type": contentType };
  const token = await givenToken();
  const proven = { ...headers, ...known() };
  const unknown = await post("/oauth/v2/token", [`${wrongCode}x`], proven);
  expect(JSON.parse(unknown.text)).toMatchObject({ error: "invalid_grant" });
  const asked = await post("/oauth/v2/introspect", [`token=${token}`], proven);
  expect(JSON.parse(asked.text)).toMatchObject({ active: true });
  const info = await post("/oidc/v1/userinfo", [`access_token=${token}`], headers);
  expect(info.status).toBe(200);
});

test("a token in the body of a GET is none (RFC 6750, 2.2)", async () => {
  const get = { ":method": "GET" };
  const { status } = await post("/oidc/v1/userinfo", [`access_token=${await givenToken()}`], get);
  expect(status).toBe(401);
});

describe.each(["/oauth/v2/authorize", "/oidc/v1/end_session"])("a form for %s", (path) => {
  const of = (bytes: number) => "id_token_hint=".padEnd(bytes, "x");

  test("has so many bytes, and not one more", async () => {
    const [largest, larger] = [of(addressFormBytesMax), of(addressFormBytesMax + 1)];
    const location = `${path.split("/").at(-1)}?${largest}`;
    expect(await post(path, [largest], {})).toMatchObject({ status: 303, location });
    expect((await post(path, [larger], {})).status).toBe(413);
  });

  test("may have a large id token, as its address may", async () => {
    const form = of(14 * 1024);
    expect((await post(path, [form], {})).status).toBe(303);
    expect((await fetch(`${parties.server.url}${path}?${form}`)).status).toBe(400);
  });
});
