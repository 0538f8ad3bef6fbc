import { passwordCharacters } from "../../domain/user/credential/password.ts";
import { replaceOwnPassword } from "../../domain/user/own/password.ts";
import type { Answer } from "../../pages/account.ts";
import { passwordPage, type WrongOwnPassword } from "../../pages/html/account/password.ts";
import { accountClientId } from "../base/destination.ts";
import { findAccountPolicy } from "../base/policy.ts";
import { takeBack } from "../base/tries.ts";
import { removeOtherTraces } from "../library/ending.ts";
import { visitorOf } from "../login/browser.ts";
import { hashChange } from "../login/change.ts";
import { tryPassword } from "../login/factor.ts";
import { backTo, decideOwn, isDone, type Own, type Part, refusedIn } from "./part.ts";

/** The part on which people choose another password, or a first one with a fresh login. */
export const password: Part = {
  isFresh: ({ human }) => human?.passwordHash === undefined,
  show: (own) => page(own, 200, { isSaved: isDone(own, "saved") }),
  take: { change },
};

async function change(own: Own): Promise<Answer> {
  const { site, visit, found, address } = own;
  const from = found.state.human?.passwordHash;
  if (from === undefined && !(await mayHaveOne(own))) return await page(own, 400, {});
  const wrong = from === undefined ? undefined : await judgeCurrent(own);
  if (wrong !== undefined) return await page(own, wrong === "tooMany" ? 429 : 400, { wrong });
  const by = { found, address, ...visitorOf(visit.request, site) };
  const hashed = await hashChange(site, by, visit.fields.of("password"));
  if ("wrong" in hashed) return await page(own, 400, hashed);
  const refused = await decideOwn(own, (state, self, nowMs) =>
    replaceOwnPassword(state, { ...self, from, to: hashed.hash }, nowMs),
  );
  if (refused?.reason === "LIMIT_REACHED") return await page(own, 429, { wrong: "tooOften" });
  if (refused !== undefined) return refusedIn("password", refused);
  await removeOtherTraces(site, own);
  return backTo("password", "saved");
}

/** Why the current password is not taken; a wrong one counts as at a login. */
async function judgeCurrent(own: Own): Promise<"current" | "tooMany" | undefined> {
  const { site, visit, found } = own;
  const { userName: name } = found.state;
  const typing = { ...own, clientId: accountClientId };
  const tried = await tryPassword(typing, { name, found, password: visit.fields.of("current") });
  if (tried === "too many of the address") return "tooMany";
  if (tried === "wrong") return "current";
  await takeBack(site, { name, found, ...visitorOf(visit.request, site) });
  return undefined;
}

/** Whether the policy lets the person log in by password to the account page. */
async function mayHaveOne({ site, found }: Own): Promise<boolean> {
  return (await findAccountPolicy(site, found)).allowPassword;
}

async function page(
  own: Own,
  status: number,
  told: { readonly wrong?: WrongOwnPassword; readonly isSaved?: boolean },
): Promise<Answer> {
  const { displayName, secret } = own;
  const { state } = own.found;
  const shown = {
    ...{ displayName, secret, userName: state.userName, isAllowed: await mayHaveOne(own) },
    hasPassword: state.human?.passwordHash !== undefined,
    passwordCharactersMin: passwordCharacters.min,
    passwordCharactersMax: passwordCharacters.max,
  };
  return { status, page: passwordPage({ ...shown, ...told }) };
}
