import { afterEach, describe, expect, test } from "@jest/globals";
import type { SandboxLimits } from "../../src/actions/limits.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { ok, respond } from "../fetch/listener.ts";
import { ample, type Greeting, givenSandbox, telling, toldBy } from "./given.ts";
import { givenHost, type Host, reaching } from "./host.ts";

/** What scripts ask hosts: only those that the operator names, and no more than they may. */

const { send } = createFetcher(reaching);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

type Answering = NonNullable<Parameters<typeof givenHost>[0]>;

/** A host, and a sandbox whose scripts may ask it as `at`. */
async function given(
  answer: Answering = (socket) =>
    socket.end(ok('{"plan":"gold"}', "content-type: application/json")),
  limits: Partial<SandboxLimits> = {},
): Promise<{ listener: Host; sandbox: Greeting; at: string }> {
  const listener = await givenHost(answer);
  const sandbox = givenSandbox(limits, "zitadel", { send, hosts: [listener.host] });
  open.push(sandbox, listener);
  return { listener, sandbox, at: JSON.stringify(`${listener.origin}/plan?id=1`) };
}

const fetching = (rest: string) => telling(`require("iam/http").fetch(${rest}`);

describe("a script", () => {
  test.each(["iam/http", "zitadel/http"])("is answered by %s", async (name) => {
    const { listener, sandbox, at } = await given();
    const script = telling(
      `(({ status, headers, body, text, json }) => [status, headers, body, text(), json().plan])(
        require("${name}").fetch(${at}))`,
    );
    expect(toldBy(await sandbox.greet(script))).toEqual([
      ...[200, { "content-type": "application/json" }],
      ...['{"plan":"gold"}', '{"plan":"gold"}', "gold"],
    ]);
    expect(listener.requests()[0]).toMatch(/^GET \/plan\?id=1 HTTP\/1\.1/);
  });

  test("waits for it as for a promise, too", async () => {
    const { sandbox, at } = await given();
    const script = `async function greet(ctx, api) {
      const answer = await require("iam/http").fetch(${at});
      api.v1.claims.setClaim("told", answer.status);
    }`;
    expect(toldBy(await sandbox.greet(script))).toBe(200);
  });

  test("sends a body, and fields by any letters", async () => {
    const { listener, sandbox, at } = await given();
    const options = '{ method: "post", headers: { "X-Key": "a", "X-Count": 2 }, body: { a: 1 } }';
    expect(toldBy(await sandbox.greet(fetching(`${at}, ${options}).status`)))).toBe(200);
    expect(listener.requests()[0]).toMatch(/^POST /);
    expect(listener.requests()[0]).toContain("x-key: a\r\nx-count: 2\r\n");
  });

  test("reads an answer of another status, and follows no redirect", async () => {
    const { listener, sandbox, at } = await given((socket) =>
      socket.end(respond(302, ["location: /elsewhere", "content-length: 0"])),
    );
    expect(toldBy(await sandbox.greet(fetching(`${at}).status`)))).toBe(302);
    expect(listener.connections()).toBe(1);
  });

  test("gets answers to its own requests alone, run after run", async () => {
    const { sandbox, at } = await given((socket, head) =>
      setTimeout(() => socket.end(ok(/id=(\d+)/.exec(head)?.[1] ?? "")), 150),
    );
    const asking = (id: number) => fetching(`${at}.replace("id=1", "id=${id}")).text()`);
    const late = await sandbox.greet(asking(2), { timeoutMs: 100 });
    expect(late.problem?.errorClass).toBe("Timeout");
    for (const id of [3, 4]) expect(toldBy(await sandbox.greet(asking(id)))).toBe(String(id));
  });
});

describe("a request is not sent", () => {
  test.each([
    ["to another host", '"https://localhost/"', /no requests to this host/],
    ["to another port", '"https://api.example.com:1/"', /no requests to this host/],
    [
      "in clear text, although others may",
      '%.replace("https:", "http:")',
      /must have the scheme https/,
    ],
    ["to what is no URL", '"plan"', /must have the scheme https/],
    ["with another method", '%, { method: "PUT" }', /method must be GET or POST/],
    ["with fields of the connection", '%, { headers: { Host: "a" } }', /header field/],
    ["with fields of a proxy", '%, { headers: { "Proxy-A": "a" } }', /header field/],
    ["with a field that is a list", '%, { headers: { a: ["b"] } }', /header field/],
    ["with two fields in one", '%, { headers: { a: "b\\r\\nc: d" } }', /header field/],
    ["with a user in its URL", '%.replace("//", "//user@")', /user name/],
  ])("%s", async (_, rest, message) => {
    const { listener, sandbox, at } = await given();
    const { problem } = await sandbox.greet(fetching(`${rest.replace("%", at)})`));
    expect(problem).toMatchObject({ errorClass: "Error", message: expect.stringMatching(message) });
    expect(listener.connections()).toBe(0);
  });

  test("to an address inside, although its host is named", async () => {
    const { listener, at } = await given();
    const guarded = createFetcher({ ...reaching, allow: [] });
    const sandbox = givenSandbox({}, undefined, { send: guarded.send, hosts: [listener.host] });
    open.push(sandbox);
    const { problem } = await sandbox.greet(fetching(`${at})`));
    expect(problem?.message).toMatch(/no allowed address/);
    expect(listener.connections()).toBe(0);
  });
});

describe("a run", () => {
  test("sends httpCalls at most", async () => {
    const { listener, sandbox, at } = await given(undefined, { httpCalls: 2 });
    const times = (count: number) =>
      telling(`Array.from({ length: ${count} }, () => require("iam/http").fetch(${at}).status)`);
    expect(toldBy(await sandbox.greet(times(2)))).toEqual([200, 200]);
    expect((await sandbox.greet(times(3))).problem?.message).toMatch(/2 requests at most/);
    expect(listener.connections()).toBe(4);
  });

  test("is answered with httpBytes at most", async () => {
    let answer = "";
    const { sandbox, at } = await given((socket) => socket.end(ok(answer)), { httpBytes: 200 });
    const length = async () => await sandbox.greet(fetching(`${at}).body.length`));
    answer = "a".repeat(200);
    expect(toldBy(await length())).toBe(200);
    answer += "a";
    expect((await length()).problem?.message).toMatch(/200 bytes each at most/);
  });

  test("asks with httpBytes at most", async () => {
    const { listener, sandbox, at } = await given(undefined, { httpBytes: 200 });
    const around = JSON.stringify({ url: JSON.parse(at), method: "GET", headers: {}, body: "" });
    const asking = (letters: number) =>
      sandbox.greet(fetching(`${at}, { body: "a".repeat(${letters}) }).status`));
    expect(toldBy(await asking(200 - around.length))).toBe(200);
    expect((await asking(201 - around.length)).problem?.message).toMatch(/200 bytes each at most/);
    expect((await asking(100_000)).problem?.message).toMatch(/200 bytes each at most/);
    expect(listener.connections()).toBe(1);
  });

  test("ends at its deadline though a host does not answer", async () => {
    const { sandbox, at } = await given(() => {}, { graceMs: ample });
    const outcome = await sandbox.greet(fetching(`${at})`), { timeoutMs: 200 });
    expect(outcome.problem?.errorClass).toBe("Timeout");
  });

  test("ends when nobody waits for it, though a host does not answer", async () => {
    const hangUp = new AbortController();
    const { sandbox, at } = await given(() => hangUp.abort(new Error("gone")), { graceMs: ample });
    const run = sandbox.greet(fetching(`${at})`), { signal: hangUp.signal });
    await expect(run).rejects.toThrow("gone");
    const { problem } = await sandbox.greet(telling("1"));
    expect(problem).toBeUndefined();
  });
});

test("a script that ends the process: it is thrown what nobody has foreseen", async () => {
  const send = () => Promise.reject(new Error("a defect"));
  const sandbox = givenSandbox({}, undefined, { send, hosts: ["example.com"] });
  open.push(sandbox);
  const { problem } = await sandbox.greet(fetching('"https://example.com/")'));
  expect(problem?.message).toBe("The request failed.");
});

test("hosts are none of scripts where the operator names none", async () => {
  const sandbox = givenSandbox();
  open.push(sandbox);
  const { problem } = await sandbox.greet(telling('require("iam/http")'));
  expect(problem?.message).toBe("there is no module iam/http");
});
