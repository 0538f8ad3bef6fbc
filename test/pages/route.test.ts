import { extname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { formBytesMax } from "../../src/pages/form.ts";
import { exchangeHttp2, openRaw, type RawAnswer } from "../gateway/raw.ts";
import { inFull } from "../harness/in-full.ts";
import { startServer } from "../harness/server.ts";
import { ofOwnPage } from "../provider/browser.ts";
import { formOf, type Site, startSite } from "./site.ts";

let site: Site;
let assets: readonly string[];

beforeAll(async () => {
  site = await startSite();
  const { passkeyLink, link } = await site.givenPerson({ requestPasswordlessRegistration: true });
  const pages = await Promise.all([site.open(passkeyLink), site.open(link)]);
  assets = pages.flatMap(({ text, path }) =>
    [...text.matchAll(/ (?:href|src)="([^"]*assets[^"]*)"/g)].map(
      ([, to = ""]) => new URL(to, site.server.url + path).pathname,
    ),
  );
});
afterAll(() => site.close());

const formType = { "content-type": "application/x-www-form-urlencoded" };
const ownForm = { ...formType, ...ofOwnPage };

/** One exchange over each version of HTTP; the two answers must say the same. */
async function exchange(
  verb: string,
  path: string,
  { headers = {}, body = "" }: { headers?: { [name: string]: string }; body?: string } = {},
): Promise<RawAnswer> {
  const { port } = site.server;
  const raw = await openRaw(port);
  const length = body === "" && verb !== "POST" ? [] : [`content-length: ${body.length}`];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${verb} ${path} HTTP/1.1`, "host: evil.example.com", ...lines, ...length];
  raw.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  const first = await raw.answer(verb);
  await raw.close();
  const authority = { ":authority": "evil.example.com", ":scheme": "http" };
  const sent = { ":method": verb, ":path": path, ...authority, ...headers };
  const { answer: second } = await exchangeHttp2(port, sent, Buffer.from(body));
  expect(second?.status).toBe(first.status);
  const own = ["content-type", "cache-control", "content-security-policy", "location", "allow"];
  for (const name of own) expect(second?.headers[name]).toBe(first.headers[name]);
  // What differs is the number of a defect, and there is none.
  expect(second?.body.toString()).toBe(first.body.toString());
  return first;
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const opener = "cross-origin-opener-policy";
const contained = {
  "content-security-policy": policy,
  [opener]: "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": expect.stringContaining("publickey-credentials-create=(self)"),
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
const page = {
  ...contained,
  "cache-control": "no-store",
  "content-language": "en",
  "content-type": "text/html; charset=utf-8",
  vary: "accept-language",
  "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
};

describe("every page, whatever it says, is for one reader alone", () => {
  test.each([
    ["GET", "/ui/initialize?userID=nobody", 200],
    ["GET", "/ui/initialize", 400],
    ["GET", "/ui/initialize?userID=nobody&code=ABCDEF", 200],
    ["GET", `/ui/initialize?userID=nobody&code=${"0".repeat(32)}`, 400],
    ["GET", "/ui/passwordless/init?userID=nobody&codeID=x&code=y", 400],
    ["GET", "/ui/phone/verify?userID=nobody", 200],
    ["GET", "/ui/email/verify?userID=nobody", 200],
    ["GET", "/ui/email/verify", 400],
    ["GET", `/ui/email/verify?userID=nobody&code=${"0".repeat(32)}`, 200],
    ["GET", "/ui/done", 200],
    ["GET", "/ui/done?after=nonsense", 200],
    ["GET", "/device", 200],
    ["GET", "/device?user_code=BCDF-GHJK", 200],
    ["DELETE", "/device", 405],
    ["GET", "/ui", 404],
    ["GET", "/ui/", 404],
    ["GET", "/ui/initialize/", 404],
    ["GET", "/ui/a/b/c/d?code=x", 404],
    ["GET", "/ui/assets/style.css", 404],
    ["GET", "/ui/assets/0000000000000000/style.css", 404],
    ["GET", "/ui/assets/..%2f..%2fpackage.json", 404],
    ["POST", "/ui/nothing", 404],
    ["DELETE", "/ui/initialize", 405],
    ["POST", "/ui/done", 405],
  ])("%s %s, answered %i", async (verb, path, status) => {
    const answer = await exchange(verb, path);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(page);
    const text = answer.body.toString();
    expect(text).toMatch(/^<!doctype html>\n.*<h1>[^<]+<\/h1>.*<\/html>\n$/s);
    expect(text).not.toMatch(/evil|localhost|127\.0\.0\.1/);
    // Its style sheet is found from wherever it stands.
    const [, style = ""] = /<link rel="stylesheet" href="([^"]+)">/.exec(text) ?? [];
    expect(assets).toContain(new URL(style, site.server.url + path).pathname);
  });

  test("a redirect too", async () => {
    const { link } = await site.givenPerson();
    const form = formOf(await site.open(link)).hidden;
    const response = await fetch(`${site.server.url}/ui/initialize`, {
      method: "POST",
      body: new URLSearchParams({ ...form, password: "long enough" }),
      redirect: "manual",
      headers: ofOwnPage,
    });
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      ...[303, "done?after=account", ""],
    ]);
    const { "content-type": _, "content-language": __, [opener]: ___, ...rest } = page;
    expect(Object.fromEntries(response.headers)).toMatchObject(rest);
    expect(response.headers.get(opener)).toBeNull();
  });
});

describe("files of the pages", () => {
  test("are there, in the type that browsers take them for, and kept", async () => {
    expect(assets.map((path) => path.replace(/^\/ui\/assets\/[0-9a-f]{16}\//, "")).sort()).toEqual([
      ...["icon.svg", "icon.svg", "passkey-form.js", "passkey.js", "password.js"],
      ...["style.css", "style.css", "webauthn.js"],
    ]);
    for (const path of assets) {
      const { status, headers, body } = await exchange("GET", path);
      const type = types[extname(path)];
      expect([status, headers]).toEqual([
        200,
        expect.objectContaining({
          ...contained,
          "cache-control": "public, max-age=31536000, immutable",
          "content-type": `${type}; charset=utf-8`,
        }),
      ]);
      expect(body.length).toBe(Number(headers["content-length"]));
    }
  });
});

const types: { readonly [extension: string]: string } = {
  ...{ ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" },
};

describe("verbs", () => {
  test.each(["/ui/done", "/ui/initialize?userID=nobody", "asset"])(
    "HEAD %s is GET without the body",
    async (given) => {
      const path = given === "asset" ? assets[0]! : given;
      const [got, head] = [await exchange("GET", path), await exchange("HEAD", path)];
      expect([head.status, head.body.length]).toEqual([got.status, 0]);
      const { "x-request-id": _, date: __, ...headers } = got.headers;
      expect(head.headers).toMatchObject(headers);
      expect(headers["content-length"]).toBe(String(got.body.length));
    },
  );

  test.each([
    ["/ui/initialize", "GET, HEAD, POST", ["PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"]],
    ["/ui/phone/verify", "GET, HEAD, POST", ["PUT"]],
    ["/ui/email/verify", "GET, HEAD, POST", ["PUT"]],
    ["/ui/passwordless/init", "GET, HEAD", ["POST", "DELETE"]],
    ["/ui/done", "GET, HEAD", ["POST", "OPTIONS"]],
    ["asset", "GET, HEAD", ["POST", "PUT"]],
  ])(
    "that %s does not answer are refused with those that it does: %s",
    async (given, allow, verbs) => {
      for (const verb of verbs) {
        const answer = await exchange(verb, given === "asset" ? assets[0]! : given);
        expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      }
    },
  );
});

describe("a form", () => {
  const fields = "userID=nobody&step=code&code=";

  test.each([
    [formBytesMax, 400, "Set up your account"],
    [formBytesMax + 1, 413, "That didn’t work"],
    [60_000, 413, "That didn’t work"],
  ])("of %i bytes is answered %i", async (bytes, status, heading) => {
    const body = fields + "A".repeat(bytes - fields.length);
    const answer = await exchange("POST", "/ui/initialize", { headers: ownForm, body });
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).toContain(`<h1>${heading}</h1>`);
  });

  test.each<[string, string, { [name: string]: string }, number]>([
    ["a name twice", "userID=a&userID=b&step=code&code=x", ownForm, 400],
    ["a name twice, encoded", "userID=a&user%49D=a&step=code", ownForm, 400],
    ["no user", "step=code&code=ABCDEF", ownForm, 400],
    ["no step", "userID=nobody&code=ABCDEF", ownForm, 400],
    ["another step", "userID=nobody&code=ABCDEF&step=constructor", ownForm, 400],
    ["nothing", "", ownForm, 400],
    ["JSON", "{}", { "content-type": "application/json" }, 415],
    ["files", "", { "content-type": "multipart/form-data; boundary=x" }, 415],
    ["another charset", "a=b", { "content-type": `${formType["content-type"]};charset=x` }, 415],
    ["no type", "a=b", {}, 415],
    ["compressed fields", "x", { ...formType, "content-encoding": "gzip" }, 501],
  ])("with %s is refused", async (_, body, headers, status) => {
    const answer = await exchange("POST", "/ui/initialize", { headers, body });
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).toMatch(/<h1>(?:That didn’t work|This link is incomplete)</);
  });

  test("with fields that nobody asked for is read without them", async () => {
    const { link, userId } = await site.givenPerson();
    const body = new URLSearchParams({ ...formOf(await site.open(link)).hidden, utm: "x" });
    body.set("password", "long enough");
    body.set("isAdmin", "true");
    const response = await fetch(`${site.server.url}/ui/initialize`, {
      ...{ method: "POST", body, headers: ofOwnPage },
    });
    expect(response.status).toBe(200);
    expect((await site.typesOf(userId)).at(-1)).toBe("user.human.initialized");
  });

  inFull("that never ends is answered in time, and the connection closed", async () => {
    const slow = await startServer({ limits: { requestTimeoutMs: 100 } });
    try {
      const raw = await openRaw(slow.port);
      raw.write("POST /ui/initialize HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n");
      raw.write(`content-type: ${formType["content-type"]}\r\n\r\n${fields}`);
      const answer = await raw.answer();
      expect([answer.status, answer.headers.connection]).toEqual([504, "close"]);
      expect(answer.body.toString()).toContain("<h1>Try again in a moment</h1>");
      await raw.ended();
      await raw.close();
    } finally {
      await slow.close();
    }
  });

  test("whose sender goes away is no defect", async () => {
    const before = site.server.logged().length;
    const raw = await openRaw(site.server.port);
    raw.write("POST /ui/initialize HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n");
    raw.write(`content-type: ${formType["content-type"]}\r\n\r\nuserID=`);
    await raw.close();
    const lines = () => site.server.logged().slice(before);
    while (lines().length === 0) await setImmediate();
    expect(lines().map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 30, msg: "refused", path: "/ui/initialize", code: "CANCELED" },
    ]);
  });
});

describe("a link", () => {
  test.each([
    "/ui/initialize?userID=a&userID=b",
    "/ui/initialize?userID=nobody&code=A&code=B",
    "/ui/done?after=phone&after=phone",
  ])("with a name twice is refused: %s", async (path) => {
    const answer = await exchange("GET", path);
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toContain("<h1>That didn’t work</h1>");
  });

  test("with parts that others added leads where it did", async () => {
    expect(await site.open("/ui/phone/verify?userID=nobody&utm_source=mail")).toMatchObject({
      ...{ status: 200, heading: "Verify your phone number" },
    });
  });
});

test("what depends on the origin besides the language says so", async () => {
  const corsOrigins = ["https://admin.example.com"];
  const server = await startServer({ corsOrigins });
  try {
    const response = await fetch(`${server.url}/ui/done`, { headers: { origin: corsOrigins[0]! } });
    await response.text();
    expect(response.headers.get("vary")?.toLowerCase().split(/, */).sort()).toEqual([
      ...["accept-language", "origin"],
    ]);
  } finally {
    await server.close();
  }
});
