import { setTimeout as wait } from "node:timers/promises";
import { accept } from "../../domain/decision.ts";
import { codeFieldOf } from "../../domain/user/credential/code.ts";
import { askForReset, resetLimits } from "../../domain/user/login/reset.ts";
import type { Answer } from "../../pages/account.ts";
import { forgottenPage, sentPage } from "../../pages/html/forgotten.ts";
import { createClientSecret } from "../../secrets/tokens.ts";
import { record } from "../base/decide.ts";
import { withPolicyOf } from "../base/policy.ts";
import type { FoundUser } from "../base/rows.ts";
import { countAsk, countNobody } from "../base/tries.ts";
import { rememberLogin } from "./browser.ts";
import { firstAgain } from "./first.ts";
import { type LoginSite, type Open, offersReset, ok } from "./open.ts";
import { findPerson } from "./person.ts";

/** Asks somebody who has forgotten the password who it is. */
export async function askWho(open: Open): Promise<Answer> {
  const { target, visit, policy } = open;
  if (!offersReset(policy)) return await firstAgain(open, { isRefused: true });
  return ok(forgottenPage(target, { userName: visit.fields.of("userName"), isTooMuch: false }));
}

/**
 * Has a mail sent by which the password is replaced, to a person who exists and may replace it. All
 * others cost the same and are told the same, at the same time: a mail takes longer to ask for than
 * what is written in its place.
 */
export async function takeForgotten(open: Open): Promise<Answer> {
  const later = wait(resetLimits.answerMs, undefined, { ref: false });
  const [answer] = await Promise.all([askForMail(open), later]);
  return answer;
}

async function askForMail(open: Open): Promise<Answer> {
  const { visit, address, site, target, project, policy } = open;
  if (!offersReset(policy)) return await firstAgain(open, { isRefused: true });
  const userName = visit.fields.of("userName");
  const found = await findPerson(site, userName, project.organization);
  const counted = await countAsk(site, { name: userName, found, address });
  if (counted === "too many of the address") {
    return { status: 429, page: forgottenPage(target, { userName, isTooMuch: true }) };
  }
  const sealedField = codeFieldOf("user.human.password.code.added", found?.userId ?? "nobody");
  const code = site.keyring.seal(createClientSecret(site.random), sealedField);
  const isOffered = offersReset(await withPolicyOf(site, policy, found));
  const mayReset = isOffered && counted === "counts";
  const isMade = mayReset && found !== undefined && (await isAsked(site, found, code));
  if (!isMade) await countNobody(site);
  rememberLogin(visit.reply, site, target.uid);
  return ok(sentPage(target));
}

/** Asks for the mail. Resolves to whether it is made: there may be no room for another today. */
async function isAsked(site: LoginSite, found: FoundUser, code: string): Promise<boolean> {
  return await record(site, found, {
    decide: (state, nowMs) => askForReset(state, code, nowMs),
    unsent: () => accept({}),
  });
}
