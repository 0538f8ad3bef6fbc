import { join } from "node:path";
import { makeDirectory, readOrCreate, removeFile } from "../../file.ts";
import type { RandomBytes } from "../../secrets/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { Picture } from "../message/mail-brand.ts";
import { type Message, nameOf } from "../message/message.ts";
import { nameFailure, type Send } from "./channel.ts";
import { type Mailbox, messageIdOf } from "./email.ts";
import { isOfErased } from "./outbox-sweep.ts";

/** The directory, within the data directory, of messages that no channel is configured for. */
export const outboxDirectory = "outbox";

/** The directory that messages are written to, and their sender. */
export interface OutboxOptions {
  readonly directory: string;
  readonly from: Mailbox;
  readonly random: RandomBytes;
  /** The log, whose events asked for the messages. */
  readonly store: Pick<Store, "readAll">;
}

/**
 * Writes each message to a file of its own instead of sending it, for its owner alone: mails as
 * `<position>-<field>.<digest>.eml`, which mail programs open, SMS as `….sms.txt`. A file appears
 * whole or not at all, and a second attempt leaves the first one's file. What is for somebody who
 * was erased meanwhile is removed at once; the rest is left to the reader, and to `startSweeping`.
 */
export function createOutbox({ directory, from, random, store }: OutboxOptions): Send {
  return async (message) => {
    const suffix = message.channel === "email" ? "eml" : "sms.txt";
    const path = join(directory, `${nameOf(message)}.${suffix}`);
    try {
      await makeDirectory(directory);
      await readOrCreate(path, () => mailText(message, from), random);
      // The look at that erasure may have come before the file did.
      if (await isOfErased(message.id, store)) await removeFile(path);
      return { kind: "sent" };
    } catch (error) {
      return { kind: "missed", problem: `the outbox cannot be written (${nameFailure(error)})` };
    }
  };
}

/** A mail as it travels (RFC 5322, RFC 6532), with nothing encoded that people are to read. */
function mailText(message: Message, from: Mailbox): string {
  const { channel, to, subject, timeMs, language } = message;
  const sender = from.name === "" ? from.address : `${quote(from.name)} <${from.address}>`;
  const { type, body } = bodyOf(message);
  const header = [
    ["From", sender],
    ["To", to],
    ["Subject", subject],
    ["Date", new Date(timeMs).toUTCString().replace("GMT", "+0000")],
    ["Message-ID", messageIdOf(message, from)],
    ["Auto-Submitted", "auto-generated"],
    ["Content-Language", language],
    ["MIME-Version", "1.0"],
    ["Content-Type", type],
    ["Content-Transfer-Encoding", "8bit"],
  ].filter(([name]) => channel === "email" || name === "To" || name === "Date");
  // Nothing that gets here has a line break; if it had, it would still not make a header field.
  const lines = header.map(([name, value]) => `${name}: ${value?.replaceAll(/[\r\n]+/g, " ")}`);
  return `${lines.join("\n")}\n\n${body}\n`;
}

/** A body, and what its header says of it. */
interface Body {
  readonly type: string;
  readonly encoding?: string;
  readonly id?: string;
  readonly body: string;
}

/**
 * The plain text, and beside it the HTML if there is one (RFC 2046, 5.1.4), together with what that
 * shows (RFC 2387).
 */
function bodyOf({ digest, text, html, picture }: Message): Body {
  const plain = { type: "text/plain; charset=utf-8", body: text.trimEnd() };
  if (html === undefined) return plain;
  const marked = { type: "text/html; charset=utf-8", body: html.trimEnd() };
  const shown =
    picture === undefined ? marked : together("related", digest, [marked, partOf(picture)]);
  return together("alternative", digest, [plain, shown]);
}

function partOf({ id, type, bytes }: Picture): Body {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return { type, encoding: "base64", id, body: lines.join("\n") };
}

/** Parts as one body. */
function together(kind: "alternative" | "related", digest: string, parts: readonly Body[]): Body {
  // No text has it in it: it is made from a hash of what was sealed.
  const boundary = kind === "alternative" ? `=_${digest}` : `=_${kind}_${digest}`;
  const written = parts.map(({ type, encoding = "8bit", id, body }) => {
    const header = [`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`];
    if (id !== undefined) header.push(`Content-ID: <${id}>`, "Content-Disposition: inline");
    return `--${boundary}\n${header.join("\n")}\n\n${body}\n`;
  });
  return {
    type: `multipart/${kind}; boundary="${boundary}"`,
    body: `${written.join("\n")}\n--${boundary}--`,
  };
}

function quote(name: string): string {
  return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
