import { afterEach, expect, test } from "@jest/globals";
import { createFetcher, type Sent } from "../../src/fetch/fetcher.ts";
import { bodyBytesMax } from "../../src/fetch/request.ts";
import { allowing, failureOf, type Listener, listen, redirect, respond } from "./listener.ts";

/** What is sent as it is, and answered as it is: the ways of a protocol on top of HTTP. */

const listeners: Listener[] = [];

async function listening(answer: string): Promise<Listener> {
  const listener = await listen((socket) => socket.end(answer));
  listeners.push(listener);
  return listener;
}

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

const { send } = createFetcher({ allow: allowing("127.0.0.0/8"), http: true });
const ask = (url: string, sent: Partial<Sent> = {}) => send(url, { organization: "o", ...sent });
const json = "content-type: Application/JSON; charset=utf-8";

test.each([200, 204, 400, 401, 404, 500])(
  "status %d is an answer with its body",
  async (status) => {
    const body = status === 204 ? "" : '{"error":"invalid_grant"}';
    const { origin } = await listening(respond(status, [json], body));
    const answer = await ask(origin);
    expect(answer).toMatchObject({ status, mediaType: "application/json" });
    expect(Buffer.from(answer.body).toString()).toBe(body);
  },
);

test("a redirect is not followed", async () => {
  const there = await listening(respond(200, [], "inside"));
  const { origin } = await listening(redirect(there.origin));
  expect(await ask(origin)).toMatchObject({ status: 302, location: there.origin });
  expect(there.connections()).toBe(0);
});

test("method, header fields and body are sent", async () => {
  const listener = await listening(respond(200, []));
  const headers = { authorization: "Basic YTpi", "content-type": "text/plain" };
  await ask(listener.origin, { method: "POST", headers, body: "what is sent" });
  const [head = ""] = listener.requests();
  expect(head).toMatch(/^POST \/ HTTP\/1\.1/);
  expect(head).toContain("authorization: Basic YTpi");
  expect(head).toContain("content-type: text/plain");
  expect(head).toContain("accept-encoding: identity");
});

test("no caller's header changes how an answer may come", async () => {
  const listener = await listening(respond(200, []));
  await ask(listener.origin, { headers: { "accept-encoding": "gzip", "user-agent": "other" } });
  expect(listener.requests()[0]).not.toMatch(/gzip|other/);
});

test.each([
  ["a body of one byte too many", respond(400, [], "a".repeat(bodyBytesMax + 1)), "larger than"],
  ["a compressed body", respond(401, ["content-encoding: gzip"], "a"), "compressed"],
])("%s is refused whatever the status", async (_, answer, problem) => {
  const { origin } = await listening(answer);
  expect((await failureOf(ask(origin))).message).toContain(problem);
});

test.each([
  ["a special address", "http://127.0.0.1:1/", [] as const, "no allowed address"],
  ["another scheme", "javascript:alert(1)", undefined, "scheme https"],
  ["http where only https may be", "http://idp.example.com/", undefined, "scheme https"],
])("%s is refused as for any other fetch", async (_, url, allow, problem) => {
  const strict = createFetcher({ allow: allow ?? [], http: allow !== undefined });
  const failed = await failureOf(strict.send(url, { organization: "o" }));
  expect(failed.message).toContain(problem);
});
