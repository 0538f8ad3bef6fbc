import type { IncomingMessage } from "node:http";
import { type Alias, ownScope } from "../alias.ts";

/**
 * Gives the scopes that a request asks for by the names of an alias those of ours, in its address
 * and in the form that was sent with it, which is answered: from there on, they have no others.
 */
export function nameScopes(
  raw: Pick<IncomingMessage, "url">,
  sent: Buffer | undefined,
  alias: Alias,
): Buffer | undefined {
  const [path = "", query] = (raw.url ?? "").split(/\?(.*)/s, 2);
  if (query?.includes(alias)) raw.url = `${path}?${withOwn(query, alias)}`;
  return sent?.includes(alias) ? Buffer.from(withOwn(sent.toString(), alias)) : sent;
}

function withOwn(form: string, alias: Alias): string {
  const own = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(form)) {
    const scopes = value.split(" ").map((scope) => ownScope(scope, alias));
    own.append(name, name === "scope" ? scopes.join(" ") : value);
  }
  return own.toString();
}
