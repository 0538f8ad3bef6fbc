import { streamOf } from "../../domain/noun.ts";
import { passwordCharacters } from "../../domain/user/credential/password.ts";
import { failLogin, findLogin, rehashPassword, useOTP } from "../../domain/user/login/login.ts";
import type { Factor, FailedLogin } from "../../domain/user/login/state.ts";
import { stranger } from "../../domain/user/made.ts";
import { user } from "../../domain/user/user.ts";
import type { Answer } from "../../pages/account.ts";
import { changePage, loginNoticePage, loginPage, otpPage } from "../../pages/html/login.ts";
import { isOwnHash } from "../../secrets/passwords/encoded.ts";
import { totpStep } from "../../secrets/totp.ts";
import { decide } from "../base/decide.ts";
import { eventFrom, fromOf } from "../base/from.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { countNobody, countTry, noteRight, takeBack } from "../base/tries.ts";
import { browserOf } from "./browser.ts";
import { changePassword } from "./change.ts";
import type { Typist } from "./guesses.ts";
import { goOn, needsOTP } from "./onward.ts";
import type { LoginSite, Open } from "./open.ts";
import { findPerson } from "./person.ts";
import type { Step } from "./step.ts";

/** The same costs and the same words for whoever is there and whoever is not. */
export async function takePassword(open: Open): Promise<Answer> {
  const { visit, address, site, target } = open;
  const name = visit.fields.of("userName");
  const password = visit.fields.of("password");
  const browser = browserOf(visit.request, site);
  const found = await findPerson(site, name, open.project.organization);
  const visitor = browser === undefined ? {} : { browser };
  const counted = await countTry(site, { name, found, address, ...visitor });
  if (counted === "too many of the address") {
    return { status: 429, page: loginPage(target, { userName: name, wrong: "tooMany" }) };
  }
  const human = counted === "counts" ? findLogin(found?.state, visitor, site.now()) : undefined;
  const hash = human?.passwordHash;
  const compared = { password, hash: hash ?? (await site.noHash()) };
  const by = { found, address, ...visitor };
  // A known browser that is past its bound waits as strangers do, and does not say so.
  const waiting = counted === "counts" ? by : { found, address };
  const isRight = await site.guess(waiting, compared).catch(async (thrown: unknown) => {
    await takeBack(site, { name, found, ...visitor });
    throw thrown;
  });
  if (found === undefined || human === undefined || hash === undefined || !isRight) {
    await noteFailure(open, found, "password");
    return { status: 400, page: loginPage(target, { userName: name, wrong: "wrong" }) };
  }
  await noteRight(site, by);
  if (human.initialization !== undefined) {
    return { status: 403, page: loginNoticePage("unready") };
  }
  const kept = isOwnHash(hash) ? hash : await rehash(site, { ...by, found }, { password, hash });
  return await goOn(open, found, { shown: ["password"], hash: kept });
}

export async function takeOTP(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const { visit, site, target } = open;
  const { human } = found.state;
  if (human?.otpSecret === undefined || !needsOTP(found, step))
    return { redirect: `login/${open.target.uid}` };
  const browser = browserOf(visit.request, site);
  const visitor = browser === undefined ? {} : { browser };
  const tried = { name: found.userId, found, address: open.address, ...visitor };
  const counted = await countTry(site, tried);
  const again = (wrong: "wrong" | "tooMany") => ({ status: 400, page: otpPage(target, { wrong }) });
  if (counted !== "counts") return again("tooMany");
  const place = { stream: streamOf(user, found.userId), field: "otp.secret" };
  const secret = site.keyring.open(human.otpSecret, place);
  const code = visit.fields.of("code").replaceAll(/\s/g, "");
  const at = totpStep(secret, code, site.now());
  const isAllowed = findLogin(found.state, visitor, site.now()) !== undefined;
  const isUsed = at !== undefined && isAllowed && (await decide(site, found, (s) => useOTP(s, at)));
  if (!isUsed) {
    await noteFailure(open, found, "otp");
    return again("wrong");
  }
  await noteRight(site, tried);
  const hash = human.passwordHash ?? "";
  return await goOn(open, found, { shown: [...step.shown, "otp"], hash });
}

export async function takeChange(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  if (needsOTP(found, step)) return { redirect: `login/${open.target.uid}` };
  const { site, visit, address } = open;
  const browser = browserOf(visit.request, site);
  const by = { found, address, ...(browser === undefined ? {} : { browser }) };
  const changed = await changePassword(site, by, visit.fields.of("password"));
  if ("wrong" in changed) {
    const { wrong } = changed;
    return { status: 400, page: changePage(open.target, { ...passwordCharacters, wrong }) };
  }
  const now = await findUser(open.site, found.userId);
  if (now === undefined) return { status: 400, page: loginNoticePage("expired") };
  return await goOn(open, now, { shown: step.shown, hash: changed.hash });
}

/**
 * Records a failure of a person who is there. Where there is no event, since nobody is, or a
 * machine, or somebody locked or out of use, as much is written, and nothing said.
 */
async function noteFailure(
  { site, visit }: Open,
  found: FoundUser | undefined,
  factor: Factor,
): Promise<void> {
  const failed = { factor, ...eventFrom(site, fromOf(visit.request)) };
  const isRecorded = found !== undefined && (await recordFailure(site, found, failed));
  if (!isRecorded) await countNobody(site);
}

/** Resolves to whether it is recorded. */
async function recordFailure(
  { execute }: LoginSite,
  { userId: id }: FoundUser,
  failed: FailedLogin,
): Promise<boolean> {
  const outcome = await execute({
    actor: stranger,
    writes: { user: { noun: user, id } },
    decide: (states, nowMs) => failLogin(states.user, failed, nowMs),
  });
  return outcome.kind === "done" && outcome.written.length > 0;
}

/** Keeps the password by a hash as they are made now; answers the hash that is kept. */
async function rehash(
  site: LoginSite,
  by: Typist & { readonly found: FoundUser },
  { password, hash: from }: { readonly password: string; readonly hash: string },
): Promise<string> {
  const to = await site.guess.rehash(by, password);
  await decide(site, by.found, (state) => rehashPassword(state, { from, to }));
  const now = await findUser(site, by.found.userId);
  return now?.state.human?.passwordHash ?? from;
}
