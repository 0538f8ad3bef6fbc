import type { Transporter } from "nodemailer";
import type { Attempt } from "../../domain/sending.ts";
import { isLoopback } from "../../text/http-url.ts";
import type { Picture } from "../message/mail-brand.ts";
import { type Message, nameOf } from "../message/message.ts";
import { nameFailure, type Send } from "./channel.ts";

/** A mail server, from a URL like `smtps://user:password@mail.example.com:465`. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS, which a server elsewhere must have. */
  readonly isSecure: boolean;
  readonly credentials?: { readonly user: string; readonly pass: string };
}

/** The sender of mails. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** The mail server, the sender, and limits in place of the defaults. */
export interface EmailOptions {
  readonly server: SmtpServer;
  readonly from: Mailbox;
  /** Whether mails, never passwords, may leave this machine without TLS where there is none. */
  readonly cleartext?: boolean;
  readonly limits?: Partial<EmailLimits>;
}

/** The limits of the mail server, in milliseconds. */
export const emailLimits = {
  /** Until it is connected, names included. */
  connectTimeoutMs: 10_000,
  /** Between two signs of life. */
  silenceTimeoutMs: 10_000,
  /** For a mail as a whole. */
  sendTimeoutMs: 30_000,
} as const;

/** The numbers of `emailLimits`. */
export type EmailLimits = { readonly [name in keyof typeof emailLimits]: number };

/** Sends by SMTP. Every mail has a connection of its own, so none suffers from another. */
export function createEmail({ server, from, cleartext = false, ...given }: EmailOptions): Send {
  const limits = { ...emailLimits, ...given.limits };
  const { host, port, isSecure, credentials } = server;
  const options = {
    host,
    port,
    secure: isSecure,
    // Passwords and codes do not leave this machine in the clear; within it there is nobody to
    // listen, and servers tend to have certificates that nobody can check.
    requireTLS: !isSecure && !isLoopback(host) && !(cleartext && credentials === undefined),
    ignoreTLS: isLoopback(host),
    ...(credentials ? { auth: credentials } : {}),
    connectionTimeout: limits.connectTimeoutMs,
    dnsTimeout: limits.connectTimeoutMs,
    greetingTimeout: limits.silenceTimeoutMs,
    socketTimeout: limits.silenceTimeoutMs,
    // Nothing in a mail is ever taken for the name of a file or for a URL to include.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let transport: Transporter | undefined;
  return async (message, signal) => {
    const end = AbortSignal.any([signal, AbortSignal.timeout(limits.sendTimeoutMs)]);
    try {
      transport ??= (await import("nodemailer")).createTransport(options);
      await transport.sendMail({ ...mailOf(message, from), signal: end });
      return { kind: "sent" };
    } catch (error) {
      return judgeFailure(error);
    }
  };
}

function mailOf(message: Message, from: Mailbox) {
  const { to, subject, text, html, picture, timeMs } = message;
  return {
    from,
    // Names that people chose stay out of the header.
    to: { name: "", address: to },
    subject,
    text,
    ...(html === undefined ? {} : { html }),
    ...(picture === undefined ? {} : { attachments: [attachmentOf(picture)] }),
    date: new Date(timeMs),
    messageId: messageIdOf(message, from),
    // Keeps vacation notices from answering (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

/** The HTML shows it in its place, so it has no name, and is not listed with what was attached. */
function attachmentOf({ id, type, bytes }: Picture) {
  const content = Buffer.from(bytes);
  const contentDisposition = "inline" as const;
  return { cid: id, content, contentType: type, contentDisposition, filename: false as const };
}

/** The same in every attempt, so that mail programs show a mail that came twice once. */
export function messageIdOf(message: Pick<Message, "id" | "digest">, { address }: Mailbox): string {
  return `<${nameOf(message)}@${address.slice(address.lastIndexOf("@") + 1)}>`;
}

function judgeFailure(error: unknown): Attempt {
  const failure = error as SmtpFailure;
  const [, status, detail = ""] =
    /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(failure.response ?? "") ?? [];
  const kind = isFinal(failure, status, detail) ? "refused" : "missed";
  if (status === undefined)
    return { kind, problem: `no mail server accepted it (${nameOriginal(error)})` };
  return { kind, problem: `the mail server answered ${`${status} ${detail}`.trim()}` };
}

/**
 * Whether the mail itself is refused, for its recipient or its text, so that another attempt would
 * end in the same way. Whatever else a server says permanently (5xx) operators mend, for example
 * that it does not relay, that a limit is reached, or that the sender is another.
 */
function isFinal(failure: SmtpFailure, status: string | undefined, detail: string): boolean {
  const { code, command, permanent } = failure;
  const isText = code === "EMESSAGE";
  if (!isText && code !== "EENVELOPE") return false;
  if (command === "API") return true;
  if (!permanent || command === "MAIL FROM") return false;
  // Servers that want no such text say 5.7.1, as those do that do not relay, before they heard it.
  // Exchange Online says 5.4.1 of a recipient that it does not know.
  if (detail !== "") return ofMail.test(detail) || detail === (isText ? "5.7.1" : "5.4.1");
  return command === "RCPT TO" && /^5(?:01|5[013])$/.test(status ?? "");
}

/** Enhanced statuses (RFC 3463) about the recipient, its mailbox, or the mail itself. */
const ofMail = /^5\.(?:1\.(?![78]$)|[26]\.|3\.4$)/;

/** A failure as nodemailer reports it. */
interface SmtpFailure {
  readonly code?: string;
  readonly command?: string;
  readonly permanent?: boolean;
  readonly response?: string;
}

function nameOriginal(error: unknown): string {
  const original = (error as { readonly originalCode?: unknown }).originalCode;
  return nameFailure(original === undefined ? error : { code: original, cause: error });
}

const defaultPorts = { "smtp:": 587, "smtps:": 465 } as const;

/** Reads `smtp(s)://[user:password@]host[:port]`; the problem repeats nothing of the text. */
export function parseSmtpUrl(
  text: string,
): { readonly server: SmtpServer } | { readonly problem: string } {
  const problem = "a URL like smtps://user:password@mail.example.com:465, or smtp://…";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol = "", hostname = "", pathname = "", search = "", hash = "" } = url ?? {};
  if (url === undefined || (protocol !== "smtp:" && protocol !== "smtps:")) return { problem };
  const isPlain = /^\/?$/.test(pathname) && search === "" && hash === "";
  if (!isPlain || hostname === "") return { problem };
  if ((url.username === "") !== (url.password === "")) return { problem };
  const credentials = credentialsOf(url);
  if (credentials === "malformed") return { problem };
  return {
    server: {
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? defaultPorts[protocol] : Number(url.port),
      isSecure: protocol === "smtps:",
      ...(credentials ? { credentials } : {}),
    },
  };
}

function credentialsOf({ username, password }: URL): SmtpServer["credentials"] | "malformed" {
  if (username === "") return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return "malformed";
  }
}

/** Reads `iam@example.com` or `Example <iam@example.com>`. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, name = "", bracketed, bare] =
    /^(?:([^\p{Cc}<>"]*)<([^<>]*)>|([^<>]*))$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? bare ?? "";
  return /^[^\s\p{Cc}@<>(),;:\\"[\]]+@[\p{L}\p{N}.-]+$/u.test(address)
    ? { name: name.trim(), address }
    : undefined;
}
