import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { inSlices } from "../gateway/slices.ts";
import { takesGzip } from "../text/accept.ts";
import type { Language } from "../text/language.ts";
import type { Download, ServedFile } from "./account.ts";

/**
 * What browsers may do with a page: nothing but load its own style, scripts and images, send its
 * own forms, call its own service, create passkeys and ask for them. No other site may frame it or
 * learn of it. Chromium holds `form-action` against every redirect behind a form. Where the forms
 * of a page lead on to an application, which may redirect to anywhere, nothing is said of forms.
 */
const containmentFor = ({ leadsOn = false, script }: Contained = {}) => ({
  "content-security-policy": [
    "default-src 'none'",
    script === undefined ? "script-src 'self'" : `script-src '${hashOf(script)}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    ...(leadsOn ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  // An application may have opened the window of a login, and waits for its end.
  ...(leadsOn ? {} : { "cross-origin-opener-policy": "same-origin" }),
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": [
    "publickey-credentials-create=(self)",
    "publickey-credentials-get=(self)",
    "camera=()",
    "geolocation=()",
    "microphone=()",
  ].join(", "),
  // The address of a page may have a code in it. With none at all, forms would come from nobody.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});

/** What a policy depends on. */
interface Contained {
  /** Whether the page leads on to an application, and its forms do. */
  readonly leadsOn?: boolean | undefined;
  /** What stands in the page, to run alone; left out, the page runs the scripts of the service. */
  readonly script?: string | undefined;
}

function hashOf(script: string): string {
  return `sha256-${createHash("sha256").update(script).digest("base64")}`;
}

/** The header fields of a whole document; it is for one person and one time. */
export function documentFields({
  language,
  ...about
}: Contained & { readonly language: Language }) {
  return {
    ...containmentFor(about),
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "content-language": language,
  };
}

interface SentPage extends Contained {
  readonly status: number;
  readonly text: string;
  readonly language: Language;
}

/** Sends a whole document. */
export function sendPage(reply: FastifyReply, { status, text, ...about }: SentPage): FastifyReply {
  return contained(reply, about).code(status).headers(documentFields(about)).send(text);
}

/** Sends a file that the browser keeps and does not show. */
export function sendFile(
  reply: FastifyReply,
  { name, contentType, pieces }: Download,
): FastifyReply {
  return contained(reply)
    .header("content-disposition", `attachment; filename="${name}"`)
    .header("content-type", contentType)
    .send(Readable.from(pieces));
}

/** Sends the browser to another page, which it asks for anew: a form is sent once. */
export function sendRedirect(reply: FastifyReply, location: string): FastifyReply {
  // Fastify's own redirect would write a link of its own.
  // A window that an application has opened stays its own on the way to a page of a login.
  const answer = contained(reply).removeHeader("cross-origin-opener-policy");
  return answer.code(303).header("location", location).send("");
}

/** Sends an image, which pages of any site may show: applications show the logo, too. */
export function sendImage(reply: FastifyReply, image: ServedFile): FastifyReply {
  return sendAsset(reply, image, "cross-origin");
}

/** Sends a file, which is kept for as long as it is asked for by the same name. */
export function sendAsset(
  reply: FastifyReply,
  { contentType, bytes, gzip }: ServedFile,
  shownBy: "same-origin" | "cross-origin" = "same-origin",
): FastifyReply {
  reply
    .headers(containmentFor())
    .header("cross-origin-resource-policy", shownBy)
    .header("cache-control", "public, max-age=31536000, immutable")
    .header("content-type", contentType);
  if (gzip === undefined) return sendBytes(reply, bytes);
  reply.header("vary", varyBy(reply, "accept-encoding"));
  if (!takesGzip(reply.request.headers["accept-encoding"])) return sendBytes(reply, bytes);
  return sendBytes(reply.header("content-encoding", "gzip"), gzip);
}

/** Sends a file that may be another by the same name: it is not kept. */
export function sendPassing(reply: FastifyReply, { contentType, bytes }: ServedFile): FastifyReply {
  return sendBytes(contained(reply).header("content-type", contentType), bytes);
}

function sendBytes(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  return reply.header("content-length", bytes.length).send(inSlices(bytes));
}

/** Has browsers come by TLS for a year, where they do now: they ignore it where they do not. */
export function holdToTls(reply: FastifyReply): FastifyReply {
  if (reply.request.protocol !== "https") return reply;
  return reply.header("strict-transport-security", "max-age=31536000");
}

function contained(reply: FastifyReply, about: Contained = {}): FastifyReply {
  return holdToTls(reply)
    .headers(containmentFor(about))
    .header("cache-control", "no-store")
    .header("vary", varyBy(reply, "accept-language"));
}

/** What an answer depends on besides what CORS says. */
function varyBy(reply: FastifyReply, field: string): string {
  return [reply.getHeader("vary") ?? [], field].flat().join(", ");
}
