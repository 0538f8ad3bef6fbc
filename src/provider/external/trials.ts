import type { Send } from "../../fetch/fetcher.ts";
import { failedBy, fetchBy } from "./http.ts";
import { type Ask, type AskedProvider, ExternalFailed, type Trial } from "./protocol.ts";

/** Looks at the keys of a provider. */
export function keyTrial(send: Send, { organization }: AskedProvider, url: () => Promise<string>) {
  return {
    name: "keys",
    advice: "The address of the keys has to answer a JSON Web Key Set with public keys (RFC 7517).",
    async run() {
      const fetch = fetchBy(send, organization);
      const request = { method: "GET", headers: {}, body: undefined, redirect: "manual" } as const;
      const answer = await fetch(await url(), request);
      const text = answer.status === 200 ? await answer.text() : "";
      const count = countKeys(text);
      if (count > 0) return `${count} ${count === 1 ? "key" : "keys"}`;
      throw new ExternalFailed("UNUSABLE", `no keys, with status ${answer.status}`);
    },
  } satisfies Trial;
}

function countKeys(text: string): number {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys) ? keys.filter((key) => Object(key).kty !== undefined).length : 0;
  } catch {
    return 0;
  }
}

/** Whether a provider knows the client: it refuses a made-up code, and not who shows it. */
export function clientTrial(exchange: () => Promise<unknown>) {
  return {
    name: "client",
    advice: "Check the client id and the client secret that the provider has given out.",
    async run() {
      const failed = await exchange().then(
        () => new ExternalFailed("UNUSABLE", "a made-up code was accepted"),
        (error: unknown) => failedBy(error),
      );
      const isKnown = ["invalid_grant", "bad_verification_code"].includes(failed.message);
      if (isKnown) return "The provider knows the client.";
      throw failed;
    },
  } satisfies Trial;
}

/** A code that no provider has given out. */
export const madeUpCode = "no-code-of-yours";

/** Where a browser would come back with it. */
export function withCode(
  { callback, secrets: { state } }: Pick<Ask, "callback" | "secrets">,
  more: { readonly iss?: string } = {},
): URL {
  return new URL(`${callback}?${new URLSearchParams({ code: madeUpCode, state, ...more })}`);
}
