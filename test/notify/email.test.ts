import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  createEmail,
  parseMailbox,
  parseSmtpUrl,
  type SmtpServer,
} from "../../src/notify/channel/email.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { sender, startMs } from "./place.ts";
import { decodeWords, type MailServer, startMailServer } from "./smtp.ts";
import { createWatch } from "./watch.ts";

const message: Message = {
  id: "12-code",
  digest: "d1ge57",
  channel: "email",
  to: "ada@example.com",
  language: "en",
  subject: "Set up your account",
  text: "Hello Ada,\n\nhttps://iam.example.com/ui\n",
  timeMs: startMs,
};
const never = new AbortController().signal;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function mailServer(answers?: Parameters<typeof startMailServer>[1]): Promise<MailServer> {
  const server = await startMailServer(createWatch(), answers);
  closing.push(() => server.down());
  return server;
}

describe("a mail", () => {
  test("arrives as it was meant", async () => {
    const { server, mails } = await mailServer();
    const from = { name: 'The "IAM"', address: "iam@example.org" };
    expect(await createEmail({ server, from })(message, never)).toEqual({ kind: "sent" });
    expect(mails).toHaveLength(1);
    const [mail] = mails;
    expect(mail).toMatchObject({
      from: "iam@example.org",
      to: ["ada@example.com"],
      text: message.text,
    });
    expect(Object.fromEntries(mail!.header)).toMatchObject({
      from: String.raw`"The \"IAM\"" <iam@example.org>`,
      to: "ada@example.com",
      subject: "Set up your account",
      date: "Tue, 14 Nov 2023 22:13:20 +0000",
      "message-id": "<12-code.d1ge57@example.org>",
      "auto-submitted": "auto-generated",
      "content-type": "text/plain; charset=utf-8",
    });
  });

  test("has its HTML beside the text, in a mail that says so", async () => {
    const { server, mails } = await mailServer();
    const html = `<!doctype html>\n<p>Größe 😀 &lt;b&gt; = ${"x".repeat(2_000)}</p>\n`;
    await createEmail({ server, from: sender })({ ...message, html }, never);
    expect(mails).toMatchObject([{ text: message.text, html }]);
    expect(mails[0]?.header.get("content-type")).toMatch(/^multipart\/alternative; boundary="/);
  });

  test("keeps letters and long lines, for example links, whole", async () => {
    const { server, mails } = await mailServer();
    const text = `Größe, œuvre, 漢字, 😀\n\nhttps://iam.example.com/?${"x=äß&".repeat(60)}\n.\n.x\n`;
    const subject = "Größe 漢字 😀 ".repeat(8).trim();
    await createEmail({ server, from: sender })({ ...message, text, subject }, never);
    expect(mails[0]?.text).toBe(text);
    expect(decodeWords(mails[0]?.header.get("subject") ?? "")).toBe(subject);
    const lengths = mails[0]!.raw.split("\r\n").map((line) => line.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(998);
  });

  // What the domain refuses already does no harm here either.
  test.each([
    ["subject", { subject: "Hi\r\nBcc: eve@example.com\r\n\r\nbody" }],
    ["address", { to: "ada@example.com\r\nBcc: eve@example.com" }],
    ["address list", { to: "ada@example.com, eve@example.com" }],
    ["address with a name", { to: '"eve@example.com" <ada@example.com>' }],
    ["id", { id: "1\r\nBcc: eve@example.com" }],
    ["HTML", { html: "<p>\r\n--\r\nBcc: eve@example.com\r\n\r\n</p>" }],
  ])("has no other header field and reader, whatever the %s says", async (_, given) => {
    const { server, mails } = await mailServer();
    await createEmail({ server, from: sender })({ ...message, ...given }, never);
    expect(mails.flatMap(({ header }) => header.get("bcc") ?? [])).toEqual([]);
    expect(mails.flatMap(({ to }) => to).filter((to) => to === "eve@example.com")).toEqual([]);
    for (const { text } of mails) expect(text).toBe(message.text);
  });

  test("that can have no reader is refused at once", async () => {
    const { server, mails } = await mailServer();
    const attempt = await createEmail({ server, from: sender })({ ...message, to: "" }, never);
    expect(attempt).toEqual({ kind: "refused", problem: "no mail server accepted it (EENVELOPE)" });
    expect(mails).toEqual([]);
  });
});

describe("credentials", () => {
  const credentials = { user: "iam", pass: "p:ss wörd" };

  test("are sent to a server on this machine, without TLS too", async () => {
    const seen: unknown[] = [];
    const { server, mails } = await mailServer({
      auth: ({ username, password }, _, done) => {
        seen.push([username, password]);
        done(null, { user: username });
      },
    });
    const send = createEmail({ server: { ...server, credentials }, from: sender });
    expect(await send(message, never)).toEqual({ kind: "sent" });
    expect(seen).toEqual([["iam", "p:ss wörd"]]);
    expect(mails).toHaveLength(1);
  });

  test("do not go to another machine in the clear", async () => {
    const seen: unknown[] = [];
    const { server, mails } = await mailServer({
      auth: ({ username }, _, done) => {
        seen.push(username);
        done(null, { user: username });
      },
    });
    const other = { ...elsewhere(server), credentials };
    for (const cleartext of [false, true]) {
      const send = createEmail({ server: other, from: sender, cleartext });
      expect(await send(message, never)).toMatchObject({ kind: "missed" });
    }
    expect([seen, mails]).toEqual([[], []]);
  });
});

describe("TLS", () => {
  test("is not asked for on this machine", async () => {
    const { server, mails } = await mailServer({ tls: "on demand" });
    expect(await createEmail({ server, from: sender })(message, never)).toEqual({ kind: "sent" });
    expect(mails).toHaveLength(1);
  });

  test("is needed for another machine, whose answers may be somebody else's", async () => {
    const { server, mails } = await mailServer();
    const send = createEmail({ server: elsewhere(server), from: sender });
    expect(await send(message, never)).toMatchObject({ kind: "missed" });
    expect(mails).toEqual([]);
  });

  test("is not needed for another machine that has none, where that is permitted", async () => {
    const { server, mails } = await mailServer();
    const send = createEmail({ server: elsewhere(server), from: sender, cleartext: true });
    expect(await send(message, never)).toEqual({ kind: "sent" });
    expect(mails).toHaveLength(1);
  });

  test.each(["from the start", "on demand"] as const)(
    "that another machine speaks %s must have a certificate that is trusted",
    async (tls) => {
      const { server, mails } = await mailServer({ tls });
      const send = createEmail({ server: elsewhere(server), from: sender });
      expect(await send(message, never)).toEqual({
        kind: "missed",
        problem: "no mail server accepted it (DEPTH_ZERO_SELF_SIGNED_CERT)",
      });
      expect(mails).toEqual([]);
    },
  );
});

/** An address of this machine that is none of 127.0.0.0/8, though it leads there. */
function elsewhere(server: SmtpServer): SmtpServer {
  return { ...server, host: "0.0.0.0" };
}

describe("a server that does not answer", () => {
  /** Takes connections and says nothing, or only a greeting. */
  async function silent(greeting: string): Promise<number> {
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {}).write(greeting);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  test.each([
    ["says nothing", "", { silenceTimeoutMs: 50 }, "ETIMEDOUT"],
    ["says hello only", "220 hello\r\n", { silenceTimeoutMs: 50 }, "ETIMEDOUT"],
    ["is slow", "220-wait\r\n", { sendTimeoutMs: 50 }, "EABORT"],
    ["is none", "HTTP/1.1 400 Bad Request\r\n\r\n", {}, "EPROTOCOL"],
  ])("because it %s is not waited for", async (_, greeting, limits, code) => {
    const server = { host: "127.0.0.1", port: await silent(greeting), isSecure: false };
    const attempt = await createEmail({ server, from: sender, limits })(message, never);
    expect(attempt).toMatchObject({ kind: "missed" });
    expect(attempt).toHaveProperty("problem", expect.stringMatching(new RegExp(`${code}|HTTP`)));
  });

  test("is left when the sending is called off", async () => {
    const server = { host: "127.0.0.1", port: await silent(""), isSecure: false };
    const off = new AbortController();
    const attempt = createEmail({ server, from: sender })(message, off.signal);
    off.abort();
    expect(await attempt).toEqual({
      kind: "missed",
      problem: "no mail server accepted it (EABORT)",
    });
  });

  test("because it is not there is told by its code", async () => {
    const gone = await mailServer();
    await gone.down();
    const attempt = await createEmail({ server: gone.server, from: sender })(message, never);
    expect(attempt).toEqual({
      kind: "missed",
      problem: "no mail server accepted it (ECONNREFUSED)",
    });
    await gone.up();
  });
});

describe("settings", () => {
  const plain = { host: "mail.example.com", isSecure: false };
  test.each([
    ["smtp://mail.example.com", { ...plain, port: 587 }],
    ["smtp://mail.example.com:25/", { ...plain, port: 25 }],
    ["smtps://mail.example.com", { ...plain, port: 465, isSecure: true }],
    ["smtp://[::1]:1025", { host: "::1", port: 1025, isSecure: false }],
    [
      "smtps://iam%40example.com:p%3Ass%2F@mail.example.com:465",
      {
        ...{ host: "mail.example.com", port: 465, isSecure: true },
        credentials: { user: "iam@example.com", pass: "p:ss/" },
      },
    ],
  ])("%s is a mail server", (text, server) => {
    expect(parseSmtpUrl(text)).toEqual({ server });
  });

  test.each([
    "",
    "mail.example.com",
    "mail.example.com:25",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail.example.com/path",
    "smtp://mail.example.com?tls.rejectUnauthorized=false",
    "smtp://mail.example.com#x",
    "smtp://user@mail.example.com",
    "smtp://:secret@mail.example.com",
    "smtp://user:%ff@mail.example.com",
    "smtp://mail.example.com:99999",
  ])("%j is no mail server", (text) => {
    expect(parseSmtpUrl(text)).toEqual({ problem: expect.stringContaining("a URL like") });
  });

  test.each([
    ["iam@localhost", { name: "", address: "iam@localhost" }],
    [" Example GmbH <iam@example.com> ", { name: "Example GmbH", address: "iam@example.com" }],
    ["<iam@example.com>", { name: "", address: "iam@example.com" }],
  ])("mails may be from %j", (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  test.each([
    "",
    "iam",
    "iam@",
    "@example.com",
    "a@b@c",
    "iam@example.com, eve@example.com",
    "A <a@example.com> <b@example.com>",
    "A\r\nBcc: eve@example.com <a@example.com>",
    "a@example.com\r\nBcc: eve@example.com",
  ])("mails may not be from %j", (text) => {
    expect(parseMailbox(text)).toBeUndefined();
  });
});
