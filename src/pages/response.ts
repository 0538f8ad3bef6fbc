import type { FastifyReply } from "fastify";
import type { Language } from "../text/language.ts";
import type { Asset } from "./assets.ts";

/**
 * What browsers may do with a page: nothing but load its own style sheet and scripts, send its own
 * forms, call its own service, create passkeys and ask for them. No other site may frame it or
 * learn of it. Browsers follow a form only where its answers lead to one of these places, so the
 * one where a login goes on in the end is named: an origin, or the scheme of an application on the
 * device.
 */
const containmentFor = (formTo?: string) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    formTo === undefined ? "form-action 'self'" : `form-action 'self' ${formTo}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": [
    "publickey-credentials-create=(self)",
    "publickey-credentials-get=(self)",
    "camera=()",
    "geolocation=()",
    "microphone=()",
  ].join(", "),
  // The address of a page may have a code in it.
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});

/** The header fields of a whole document; it is for one person and one time. */
export function documentFields({
  language,
  formTo,
}: {
  language: Language;
  formTo?: string | undefined;
}) {
  return {
    ...containmentFor(formTo),
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "content-language": language,
  };
}

interface SentPage {
  readonly status: number;
  readonly text: string;
  readonly language: Language;
  readonly formTo?: string | undefined;
}

/** Sends a whole document. */
export function sendPage(reply: FastifyReply, { status, text, ...about }: SentPage): FastifyReply {
  return contained(reply).code(status).headers(documentFields(about)).send(text);
}

/** Sends the browser to another page, which it asks for anew: a form is sent once. */
export function sendRedirect(reply: FastifyReply, location: string): FastifyReply {
  // Fastify's own redirect would write a link of its own.
  return contained(reply).code(303).header("location", location).send("");
}

/** Sends a file, which is kept for as long as it is asked for by the same name. */
export function sendAsset(reply: FastifyReply, { contentType, bytes }: Asset): FastifyReply {
  return reply
    .headers(containmentFor())
    .header("cache-control", "public, max-age=31536000, immutable")
    .header("content-type", contentType)
    .send(bytes);
}

function contained(reply: FastifyReply): FastifyReply {
  // CORS says what else an answer depends on.
  const vary = [reply.getHeader("vary") ?? [], "accept-language"].flat().join(", ");
  // Browsers ignore it where it did not come over TLS.
  if (reply.request.protocol === "https") {
    reply.header("strict-transport-security", "max-age=31536000");
  }
  return reply.headers(containmentFor()).header("cache-control", "no-store").header("vary", vary);
}
