import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import { streamOf } from "../../src/domain/noun.ts";
import { removeOwnOTP } from "../../src/domain/user/own/factor.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { confirmOwnOTP, giveRecoveryCodes } from "../../src/provider/account/authenticator.ts";
import { decide } from "../../src/provider/base/decide.ts";
import { beginOTP, type ConfirmedOTP, type NewOTP } from "../../src/provider/login/new-otp.ts";
import type { Keyring } from "../../src/secrets/keyring.ts";
import { createObjects } from "../../src/store/objects.ts";
import type { Browser } from "./browser.ts";
import { type App, begin, fetchTokens, type Parties, type Person } from "./relying.ts";
import { codeAt } from "./totp.ts";
import { unitOf } from "./unit.ts";

/** What a person changes of how it logs in, in the session that began last. */
export interface OwnFactors {
  readonly state: UserState;
  begin(): Promise<NewOTP>;
  confirm(typed: string): Promise<ConfirmedOTP>;
  remove(): Promise<boolean>;
  giveCodes(): Promise<readonly string[] | undefined>;
}

/** Opens them as the pages of a service do. */
export async function ownFactors(
  { server, clock }: Parties,
  { userId }: Pick<Person, "userId">,
  keyring: Keyring = server.keyring,
): Promise<OwnFactors> {
  const { store, execute } = server;
  const parts = {
    ...{ store, objects: createObjects(store), execute, keyring, newId: v7, random: randomBytes },
    ...unitOf(store, () => clock.nowMs),
  };
  const [row] = await store.load([streamOf(user, userId)]);
  const state = JSON.parse(String(row?.state)) as UserState;
  const sessionId = String(state.human?.login?.sessions.at(-1)?.sessionId);
  const found = { userId, state, changedMs: 0 };
  const self = { sessionId, found };
  return {
    state,
    begin: () => beginOTP(parts, { found, key: sessionId }),
    confirm: (typed) => confirmOwnOTP(parts, self, typed),
    remove: () =>
      decide(parts, found, (now, nowMs) => removeOwnOTP(now, { userId, sessionId }, nowMs)),
    giveCodes: () => giveRecoveryCodes(parts, self),
  };
}

/** Logs a person in with an app of this secret; answers the tokens. */
export async function logInByApp(
  { clock }: Parties,
  { app, browser }: { readonly app: App; readonly browser: Browser },
  { userName, password, secret }: Person & { readonly secret: string },
  parameters: { readonly [name: string]: string } = {},
) {
  const begun = await begin(app, parameters);
  await browser.open(begun.url.href);
  await browser.send({ userName, password });
  const back = await browser.send({ code: codeAt(secret, clock.nowMs) }, "otp");
  return await fetchTokens(app, begun, back.url);
}
