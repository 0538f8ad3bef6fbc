import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { SmtpServer } from "../../src/notify/channel/email.ts";
import { createCertificate } from "../port/certificate.ts";
import type { Watch } from "./watch.ts";

/** A mail as the server got it. */
export interface Mail {
  readonly to: readonly string[];
  readonly from: string;
  /** With header fields unfolded, by their names in lower case. */
  readonly header: ReadonlyMap<string, string>;
  readonly text: string;
  /** The other form of the same words, where there is one. */
  readonly html: string | undefined;
  /** What the HTML shows that came along with it. */
  readonly pictures: readonly Picture[];
  readonly raw: string;
}

/** An image that came along with a mail. */
export interface Picture {
  readonly header: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
}

export interface MailServer {
  readonly server: SmtpServer;
  readonly mails: readonly Mail[];
  /** Stops listening and ends every connection. */
  down(): Promise<void>;
  /** Listens on the same port again. */
  up(): Promise<void>;
}

/**
 * A real mail server on this machine; if it speaks TLS, nobody trusts its certificate. What an
 * address or a mail is answered can be given: number and text as SMTP has them, or nothing for yes.
 */
export async function startMailServer(
  watch: Watch,
  answers: {
    readonly sender?: () => string | undefined;
    readonly recipient?: (address: string) => string | undefined;
    readonly data?: (mail: Mail) => Promise<string | undefined>;
    readonly auth?: SMTPServerOptions["onAuth"];
    readonly tls?: "from the start" | "on demand";
  } = {},
): Promise<MailServer> {
  const mails: Mail[] = [];
  const { auth, tls } = answers;
  const listen = (port: number) =>
    new Promise<SMTPServer>((resolve, reject) => {
      const server = new SMTPServer({
        ...(tls ? createCertificate("iam test") : {}),
        secure: tls === "from the start",
        hideSTARTTLS: tls === undefined,
        disableReverseLookup: true,
        authOptional: auth === undefined,
        allowInsecureAuth: true,
        ...(auth ? { onAuth: auth } : {}),
        onMailFrom: (_, __, done) => done(problemOf(answers.sender?.())),
        onRcptTo: ({ address }, _, done) => done(problemOf(answers.recipient?.(address))),
        onData: async (stream, { envelope }, done) => {
          const raw = await text(stream);
          const to = envelope.rcptTo.map(({ address }) => address);
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
          const mail = { to, from, raw, ...read(raw) };
          const problem = problemOf(await answers.data?.(mail));
          if (problem === null) mails.push(mail);
          done(problem);
          watch.happened();
        },
      });
      // A client that goes away in the middle of a mail is no matter of the server.
      server.on("error", () => {});
      server.server.once("error", reject);
      server.listen(port, "127.0.0.1", () => resolve(server));
    });
  let server = await listen(0);
  const { port } = server.server.address() as AddressInfo;
  return {
    server: { host: "127.0.0.1", port, isSecure: tls === "from the start" },
    mails,
    down: () =>
      new Promise((resolve) => {
        for (const connection of server.connections) connection.close();
        server.close(resolve);
      }),
    up: async () => {
      server = await listen(port);
    },
  };
}

function problemOf(answer: string | undefined): Error | null {
  if (answer === undefined) return null;
  const [status, ...words] = answer.split(" ");
  return Object.assign(new Error(words.join(" ")), { responseCode: Number(status) });
}

/** Reads a mail, or one part of it, as it travels. */
function read(raw: string): Pick<Mail, "header" | "text" | "html" | "pictures"> {
  const whole = split(raw);
  const { header } = whole;
  const parts = partsOf(whole);
  if (parts === undefined) return { header, text: decoded(whole), html: undefined, pictures: [] };
  const [plain, marked] = parts;
  const [html, ...pictures] = (marked && partsOf(marked)) ?? [marked];
  const types = [plain, html].map((part) => part?.header.get("content-type"));
  if (types.join() !== "text/plain; charset=utf-8,text/html; charset=utf-8" || parts.length > 2) {
    throw new Error(`a mail has the parts ${types.join()}`);
  }
  return {
    ...{ header, text: plain ? decoded(plain) : "", html: html && decoded(html) },
    pictures: pictures.flatMap((part) =>
      part ? [{ header: part.header, bytes: Buffer.from(part.body, "base64") }] : [],
    ),
  };
}

/** The parts of a mail or of a part of one; undefined where it has none. */
function partsOf({ header, body }: ReturnType<typeof split>) {
  const [, boundary] = /boundary="([^"]+)"/.exec(header.get("content-type") ?? "") ?? [];
  // What stands before the first boundary and after the last one is nobody's to read.
  return boundary === undefined
    ? undefined
    : `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1).map(split);
}

/** Header and body of a mail or of a part of one. */
function split(raw: string): { readonly header: Mail["header"]; readonly body: string } {
  const end = raw.indexOf("\r\n\r\n");
  const fields = raw
    .slice(0, end)
    .trimStart()
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const header = new Map(
    fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  return { header, body: raw.slice(end + 4) };
}

function decoded({ header, body }: ReturnType<typeof split>): string {
  const encoding = header.get("content-transfer-encoding") ?? "7bit";
  return decode(body, encoding).replaceAll("\r\n", "\n");
}

function decode(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** A subject as people see it. */
export function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, form, encoded) =>
      form.toUpperCase() === "B"
        ? Buffer.from(encoded, "base64").toString()
        : decode(encoded.replaceAll("_", " "), "quoted-printable"),
    );
}
