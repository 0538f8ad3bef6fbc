import type { FastifyReply, FastifyRequest } from "fastify";
import { createClientSecret, hashSecret } from "../secrets/tokens.ts";
import { cookieNames } from "./configuration.ts";
import type { ProviderParts } from "./parts.ts";

type Parts = Pick<ProviderParts, "publicUrl" | "random">;

/** Seconds for which browsers keep a cookie at most. */
const keptSeconds = 400 * 24 * 60 * 60;

/** A hash of what tells the browser from others, where it has logged somebody in. */
export function browserOf({ headers }: FastifyRequest, parts: Parts): string | undefined {
  const wanted = `${nameIn(parts)}=`;
  const given = (headers.cookie ?? "").split(/; */).find((one) => one.startsWith(wanted));
  const value = given?.slice(wanted.length);
  return value && form.test(value) ? hashSecret(value) : undefined;
}

/** Gives the browser what it is known by from now on; answers its hash. */
export function knowBrowser(request: FastifyRequest, reply: FastifyReply, parts: Parts): string {
  const known = browserOf(request, parts);
  if (known !== undefined) return known;
  const value = createClientSecret(parts.random);
  const secure = parts.publicUrl().startsWith("https:") ? "; Secure" : "";
  const about = `Path=/; Max-Age=${keptSeconds}; HttpOnly; SameSite=Lax${secure}`;
  reply.header("set-cookie", `${nameIn(parts)}=${value}; ${about}`);
  return hashSecret(value);
}

const form = /^[\w-]{43}$/;

function nameIn({ publicUrl }: Pick<Parts, "publicUrl">): string {
  return cookieNames(publicUrl().startsWith("https:")).browser;
}
