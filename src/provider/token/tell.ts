import type { Telling } from "../../domain/logout.ts";
import type { Attempt } from "../../domain/sending.ts";
import { FetchFailed } from "../../fetch/failed.ts";
import type { Fetch } from "../../fetch/fetcher.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findClient } from "../base/rows.ts";
import { skewSecondsOf } from "./client.ts";
import { signJws } from "./jws.ts";
import type { FindProvider } from "./now.ts";
import { createTurns } from "./slow.ts";

/** Tells an application once. Resolves in a bounded time, and at once when the signal aborts it. */
export type Tell = (telling: Telling, signal: AbortSignal) => Promise<Attempt>;

/** Seconds for which a logout token is valid (OpenID Connect Back-Channel Logout 1.0, 2.4). */
export const logoutTokenSeconds = 120;

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** Makes what tells applications of ended sessions, by a token that this service signs. */
export function createTell(
  parts: ProviderParts & { readonly fetch: Fetch },
  findProvider: FindProvider,
): Tell {
  const callInTurn = createTurns(parts.machineNow);
  return async ({ id, userId, sessionId, clientId }, signal) => {
    const client = await findClient(parts, clientId);
    const uri = client?.config.backChannelLogoutUri;
    if (client === undefined || uri === undefined) {
      return { kind: "refused", problem: "the application no longer has a logout URI" };
    }
    const { keys } = await findProvider();
    const skewSeconds = skewSecondsOf(client.config);
    const nowSeconds = Math.floor(parts.machineNow() / 1_000);
    const claims = {
      ...{ iss: parts.publicUrl(), aud: clientId, sub: userId, sid: sessionId },
      ...{ iat: nowSeconds - skewSeconds, exp: nowSeconds + logoutTokenSeconds + skewSeconds },
      ...{ jti: hashSecret(`${id} ${sessionId}`) },
      events: { [logoutEvent]: {} },
    };
    const token = await signJws(claims, { ...keys.signer, type: "logout+jwt" });
    const form = new URLSearchParams({ logout_token: token });
    const { organization } = client;
    const told = await callInTurn(organization, async (): Promise<Attempt> => {
      try {
        await parts.fetch(uri, { organization, form, signal });
        return { kind: "sent" };
      } catch (error) {
        if (!(error instanceof FetchFailed)) throw error;
        return { kind: isFinal(error) ? "refused" : "missed", problem: error.message };
      }
    });
    return told ?? { kind: "missed", problem: "its organization's applications answer too slowly" };
  };
}

/** Whether another attempt would end in the same way. */
function isFinal({ reason }: FetchFailed): boolean {
  return reason === "URL_INVALID" || reason === "ADDRESS_NOT_ALLOWED";
}
