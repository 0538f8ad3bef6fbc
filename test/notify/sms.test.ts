import { createHmac, timingSafeEqual } from "node:crypto";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createSms, isWebhookUrl } from "../../src/notify/channel/sms.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { startMs } from "./place.ts";
import { type Call, type Receiver, startReceiver } from "./receiver.ts";
import { createWatch } from "./watch.ts";

const key = "a key that both sides know, 32 characters at least";
const message: Message = {
  id: "12-code",
  digest: "d1ge57",
  channel: "sms",
  to: "+4915112345678",
  language: "en",
  subject: "Your code",
  text: 'Your code is "ABC123".\nDo not share it: ✆',
  timeMs: startMs,
};
const never = new AbortController().signal;
const receivers: Receiver[] = [];

afterEach(async () => {
  for (const { close } of receivers.splice(0)) await close();
});

async function receiver(answer?: Parameters<typeof startReceiver>[1]): Promise<Receiver> {
  const made = await startReceiver(createWatch(), answer);
  receivers.push(made);
  return made;
}

/** What a receiver does to know who called, written without ours. */
function isGenuine({ headers, body }: Call, withKey = key): boolean {
  const timestamp = String(headers["x-iam-timestamp"]);
  const expected = createHmac("sha256", withKey).update(timestamp).update(".").update(body);
  const given = Buffer.from(String(headers["x-iam-signature"]));
  const ours = Buffer.from(`sha256=${expected.digest("hex")}`);
  return given.length === ours.length && timingSafeEqual(given, ours);
}

describe("a call of the webhook", () => {
  test("says what to send to whom, and is signed with its time", async () => {
    const { url, calls } = await receiver();
    const send = createSms({ url: `${url}?tenant=1`, key, now: () => startMs });
    expect(await send(message, never)).toEqual({ kind: "sent" });
    expect(calls).toHaveLength(1);
    const [call] = calls;
    expect(call).toMatchObject({
      method: "POST",
      path: "/sms?tenant=1",
      headers: { "content-type": "application/json", "x-iam-timestamp": "1700000000" },
    });
    const { to, text } = message;
    expect(JSON.parse(call!.body)).toEqual({ to, text, messageId: "12-code.d1ge57" });
    expect(isGenuine(call!)).toBe(true);
    expect(isGenuine(call!, `${key}!`)).toBe(false);
    expect(isGenuine({ ...call!, body: call!.body.replace("ABC", "ABD") })).toBe(false);
    expect(
      isGenuine({ ...call!, headers: { ...call!.headers, "x-iam-timestamp": "1700000001" } }),
    ).toBe(false);
  });

  test("has the same id and a new time when it is tried again", async () => {
    const { url, calls } = await receiver();
    let nowMs = startMs;
    const send = createSms({ url, key, now: () => nowMs });
    await send(message, never);
    nowMs += 60_000;
    await send(message, never);
    const ids = calls.map(({ body }) => JSON.parse(body).messageId);
    expect(ids).toEqual(["12-code.d1ge57", "12-code.d1ge57"]);
    expect(calls.map(({ headers }) => headers["x-iam-timestamp"])).toEqual([
      "1700000000",
      "1700000060",
    ]);
    expect(calls.map((call) => isGenuine(call))).toEqual([true, true]);
  });

  test("has another id than one from the same place of another log", async () => {
    const { url, calls } = await receiver();
    const send = createSms({ url, key, now: () => startMs });
    for (const digest of ["0a", "0b"]) await send({ ...message, digest }, never);
    const ids = calls.map(({ body }) => JSON.parse(body).messageId);
    expect(ids).toEqual(["12-code.0a", "12-code.0b"]);
  });
});

describe("what the webhook answers", () => {
  test.each([
    [200, "sent"],
    [202, "sent"],
    [204, "sent"],
    [400, "refused"],
    [403, "missed"],
    [404, "missed"],
    [405, "missed"],
    [410, "refused"],
    [413, "refused"],
    [422, "refused"],
    [499, "missed"],
    [401, "missed"],
    [408, "missed"],
    [429, "missed"],
    [301, "missed"],
    [307, "missed"],
    [500, "missed"],
    [503, "missed"],
  ])("%d: the message is %s", async (status, kind) => {
    const { url } = await receiver((_, response) => {
      response.writeHead(status).end(status === 204 ? undefined : `${message.to} ${message.text}`);
    });
    const attempt = await createSms({ url, key, now: () => startMs })(message, never);
    const problem = `the SMS webhook answered ${status}`;
    expect(attempt).toEqual(kind === "sent" ? { kind } : { kind, problem });
  });

  test("a redirect is not followed, whereto the message would leak", async () => {
    const other = await receiver();
    const { url } = await receiver((_, response) => {
      response.writeHead(308, { location: other.url }).end();
    });
    await createSms({ url, key, now: () => startMs })(message, never);
    expect(other.calls).toEqual([]);
  });

  test("nothing: it is not waited for longer than the limit", async () => {
    const { url } = await receiver(() => {});
    const send = createSms({ url, key, now: () => startMs, timeoutMs: 50 });
    const problem = "the SMS webhook did not answer (TimeoutError)";
    expect(await send(message, never)).toEqual({ kind: "missed", problem });
  });

  test("nothing any more: it is called off when the worker stops", async () => {
    const off = new AbortController();
    const { url } = await receiver(() => off.abort());
    const problem = "the SMS webhook did not answer (AbortError)";
    expect(await createSms({ url, key, now: () => startMs })(message, off.signal)).toEqual({
      kind: "missed",
      problem,
    });
  });

  test.each([
    ["a connection that ends", "UND_ERR_SOCKET"],
    ["nobody there", "ECONNREFUSED"],
  ])("nothing, because of %s", async (what, code) => {
    const made = await receiver((_, response) => response.destroy());
    if (what === "nobody there") await receivers.pop()?.close();
    const problem = `the SMS webhook did not answer (${code})`;
    expect(await createSms({ url: made.url, key, now: () => startMs })(message, never)).toEqual({
      kind: "missed",
      problem,
    });
  });
});

test.each([
  ["https://sms.example.com/send?a=b", true],
  ["http://10.0.0.1:8080", true],
  ["", false],
  ["sms.example.com", false],
  ["ftp://sms.example.com", false],
  ["https://user:secret@sms.example.com", false],
  ["https://user@sms.example.com", false],
  ["https://sms.example.com/#x", false],
])("%j as a webhook: %s", (text, expected) => {
  expect(isWebhookUrl(text)).toBe(expected);
});
