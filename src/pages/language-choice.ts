import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { languageOf } from "../text/accept-language.ts";
import { type Language, languages } from "../text/language.ts";
import { cookieOf, keptSeconds, setCookie } from "./cookie.ts";
import { choiceFields } from "./html/frame.ts";

type Headers = Pick<IncomingHttpHeaders, "cookie" | "accept-language">;

const cookieName = "iam.language";

/**
 * The language of a page: the one that the person has chosen in this browser, else the one that the
 * application asks for, else the one that the browser prefers.
 */
export function languageFor(headers: Headers, asked: Language | undefined): Language {
  const chosen = knownLanguage(cookieOf(headers.cookie, cookieName));
  return chosen ?? asked ?? languageOf(headers["accept-language"] ?? "");
}

/**
 * Keeps a language that is chosen on a page, and answers the way back there, relative to it;
 * undefined for any other request.
 */
export function takeChoice(
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl }: { readonly publicUrl: () => string },
): string | undefined {
  const [path = "", given = ""] = request.url.split("?", 2);
  const sent = new URLSearchParams(given);
  const value = knownLanguage(sent.get(choiceFields.language));
  if (request.method !== "GET" || value === undefined) return undefined;
  const isSecure = publicUrl().startsWith("https:");
  setCookie(reply, { name: cookieName, value, seconds: keptSeconds, isSecure });
  const query = new URLSearchParams(sent.get(choiceFields.query) ?? "").toString();
  // Without the dot, a path with a colon would lead to another site.
  return `./${path.split("/").at(-1)}${query === "" ? "" : `?${query}`}`;
}

function knownLanguage(tag: string | null | undefined): Language | undefined {
  return languages.find((one) => one === tag);
}
