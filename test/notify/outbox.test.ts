import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Send } from "../../src/notify/channel/channel.ts";
import { createChannels } from "../../src/notify/channel/channels.ts";
import { createOutbox, outboxDirectory } from "../../src/notify/channel/outbox.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { startMs } from "./place.ts";
import { startReceiver } from "./receiver.ts";
import { startMailServer } from "./smtp.ts";
import { createWatch } from "./watch.ts";

const never = new AbortController().signal;
const mail: Message = {
  id: "12-code",
  digest: "d1ge57",
  channel: "email",
  to: "ada@example.com",
  language: "de",
  subject: "Größe",
  text: "Guten Tag Ada,\n\nIhr Code lautet ABC123.\n",
  timeMs: startMs,
};
const sms: Message = { ...mail, channel: "sms", to: "+4915112345678", text: "Code: ABC123" };
const from = { name: 'The "IAM"', address: "iam@example.com" };

/** Somebody has erased the event at that position, and none of the others. */
const store = {
  readAll: async (after: bigint) => [
    {
      ...{ position: after + 1n, stream: "user-1", version: 1, owner: "o", actor: "a" },
      ...{ type: "user.human.phone.code.added", timeMs: 0, link: new Uint8Array(32) },
      payload: after === 20n ? "" : "{}",
    },
  ],
};

let dataDir: string;
let directory: string;
let send: Send;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "iam-outbox-"));
  directory = join(dataDir, outboxDirectory);
  send = createOutbox({ directory, from, random: randomBytes, store });
});
afterEach(() => rm(dataDir, { recursive: true }));

const read = (name: string) => readFile(join(directory, name), "utf8");

describe("a message in the outbox", () => {
  test("is a mail that people and mail programs can read", async () => {
    expect(await send(mail, never)).toEqual({ kind: "sent" });
    expect(await read("12-code.d1ge57.eml")).toBe(
      String.raw`From: "The \"IAM\"" <iam@example.com>
To: ada@example.com
Subject: Größe
Date: Tue, 14 Nov 2023 22:13:20 +0000
Message-ID: <12-code.d1ge57@example.com>
Auto-Submitted: auto-generated
Content-Language: de
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Guten Tag Ada,

Ihr Code lautet ABC123.
`,
    );
  });

  test("has its HTML in a part of its own", async () => {
    await send({ ...mail, html: "<!doctype html>\n<p>Ihr Code lautet ABC123.</p>\n" }, never);
    const [header = "", ...parts] = (await read("12-code.d1ge57.eml")).split("--=_d1ge57");
    expect(header.split("\n").slice(-4)).toEqual([
      'Content-Type: multipart/alternative; boundary="=_d1ge57"',
      "Content-Transfer-Encoding: 8bit",
      ...["", ""],
    ]);
    expect(parts).toEqual([
      `
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Guten Tag Ada,

Ihr Code lautet ABC123.

`,
      `
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: 8bit

<!doctype html>
<p>Ihr Code lautet ABC123.</p>

`,
      "--\n",
    ]);
  });

  test("has its logo with the HTML that shows it", async () => {
    const bytes = Buffer.alloc(100, 7);
    const picture = { id: "a@logo", type: "image/png", bytes };
    await send({ ...mail, html: '<img src="cid:a@logo">', picture }, never);
    const [, plain = "", shown = ""] = (await read("12-code.d1ge57.eml")).split("--=_d1ge57\n");
    expect(plain).toContain("Content-Type: text/plain; charset=utf-8");
    expect(shown).toContain('Content-Type: multipart/related; boundary="=_related_d1ge57"');
    const [, html = "", image = "", end] = shown.split("--=_related_d1ge57");
    expect(html).toContain('<img src="cid:a@logo">');
    const [header, base64 = ""] = image.trim().split("\n\n");
    expect(header?.split("\n")).toEqual([
      ...["Content-Type: image/png", "Content-Transfer-Encoding: base64"],
      ...["Content-ID: <a@logo>", "Content-Disposition: inline"],
    ]);
    expect(Buffer.from(base64, "base64").equals(bytes)).toBe(true);
    expect(Math.max(...base64.split("\n").map((line) => line.length))).toBe(76);
    expect(end).toBe("--\n\n--=_d1ge57--\n");
  });

  test("is a short text where it is an SMS", async () => {
    await send(sms, never);
    expect(await read("12-code.d1ge57.sms.txt")).toBe(
      "To: +4915112345678\nDate: Tue, 14 Nov 2023 22:13:20 +0000\n\nCode: ABC123\n",
    );
  });

  test("is for its owner alone, and nothing else lies there", async () => {
    await send(mail, never);
    await send(sms, never);
    expect((await readdir(directory)).sort()).toEqual([
      "12-code.d1ge57.eml",
      "12-code.d1ge57.sms.txt",
    ]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(directory)) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    }
  });

  test("is there once, however often it is sent", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => send(mail, never)));
    expect(all).toEqual(Array(5).fill({ kind: "sent" }));
    expect(await readdir(directory)).toEqual(["12-code.d1ge57.eml"]);
  });

  test("lies beside one from the same place of another log", async () => {
    for (const digest of ["0a", "0b"]) await send({ ...sms, digest }, never);
    const names = ["12-code.0a.sms.txt", "12-code.0b.sms.txt"];
    expect((await readdir(directory)).sort()).toEqual(names);
  });

  test("has no header field that somebody else chose", async () => {
    const subject = "Hi\r\nBcc: eve@example.com";
    await send({ ...mail, subject, to: "a@b\nX: y" }, never);
    const [header = ""] = (await read("12-code.d1ge57.eml")).split("\n\n");
    expect(header.split("\n").map((line) => line.split(":")[0])).toEqual([
      "From",
      "To",
      "Subject",
      "Date",
      "Message-ID",
      "Auto-Submitted",
      "Content-Language",
      "MIME-Version",
      "Content-Type",
      "Content-Transfer-Encoding",
    ]);
  });
});

test("an outbox that cannot be written leaves the message for later", async () => {
  await writeFile(directory, "in the way");
  await chmod(directory, 0o600);
  const problem = "the outbox cannot be written (EEXIST)";
  expect(await send(mail, never)).toEqual({ kind: "missed", problem });
});

test("a message to somebody who was erased while it was written is not there", async () => {
  for (const message of [mail, sms]) {
    expect(await send({ ...message, id: "21-code" }, never)).toEqual({ kind: "sent" });
    expect(await send({ ...message, id: "22-code" }, never)).toEqual({ kind: "sent" });
  }
  expect((await readdir(directory)).sort()).toEqual([
    "22-code.d1ge57.eml",
    "22-code.d1ge57.sms.txt",
  ]);
});

describe("the channels", () => {
  const common = { now: () => startMs, random: randomBytes, from, store };

  test("are files where nothing is configured", async () => {
    const channels = createChannels({ ...common, outbox: directory });
    await channels.email(mail, never);
    await channels.sms(sms, never);
    expect((await readdir(directory)).sort()).toEqual([
      "12-code.d1ge57.eml",
      "12-code.d1ge57.sms.txt",
    ]);
  });

  test("are what is configured", async () => {
    const server = await startMailServer(createWatch());
    const receiver = await startReceiver(createWatch());
    try {
      const channels = createChannels({
        ...{ ...common, outbox: directory, smtp: server.server },
        sms: { url: receiver.url, key: "k".repeat(32) },
      });
      await channels.email(mail, never);
      await channels.sms(sms, never);
      expect([server.mails.length, receiver.calls.length]).toEqual([1, 1]);
      await expect(readdir(directory)).rejects.toMatchObject({ code: "ENOENT" });
    } finally {
      await receiver.close();
      await server.down();
    }
  });
});
