import { passwordCharacters } from "../../domain/user/credential/password.ts";
import { failLogin, findLogin } from "../../domain/user/login/login.ts";
import { rehashPassword } from "../../domain/user/login/password.ts";
import type { Factor } from "../../domain/user/state/factor.ts";
import type { HumanState } from "../../domain/user/state/login-state.ts";
import type { Answer } from "../../pages/account.ts";
import { changePage } from "../../pages/html/login.ts";
import { isOwnHash } from "../../secrets/passwords/encoded.ts";
import { decide, record } from "../base/decide.ts";
import { eventFrom, fromOf } from "../base/from.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import type { Step } from "../base/step.ts";
import { countNobody, countTry, noteRight, takeBack } from "../base/tries.ts";
import { visitorOf } from "./browser.ts";
import { changePassword } from "./change.ts";
import { firstAgain } from "./first.ts";
import type { Typist } from "./guesses.ts";
import { findNext, goOn } from "./onward.ts";
import { expired, type LoginSite, type Open, toLogin, unready } from "./open.ts";
import { findPerson } from "./person.ts";

/** The same costs and the same words for a person who is there and for one who is not. */
export async function takePassword(open: Open): Promise<Answer> {
  const { visit, address, site, policy } = open;
  const name = visit.fields.of("userName");
  // For any name alike: nothing is looked up.
  if (!policy.allowPassword) return await firstAgain(open, { isRefused: true });
  const password = visit.fields.of("password");
  const found = await findPerson(site, name, open.project.organization);
  const tried = await tryPassword(open, { name, found, password });
  if (tried === "too many of the address") return await firstAgain(open, { wrong: "tooMany" });
  if (tried === "wrong") return await firstAgain(open, { wrong: "wrong" });
  if (tried.human.initialization !== undefined) return unready(open);
  const { hash } = tried;
  const by = { found: tried.found, address, ...visitorOf(visit.request, site) };
  const kept = isOwnHash(hash) ? hash : await rehash(site, by, { password, hash });
  return await goOn(open, tried.found, { shown: ["password"], hash: kept });
}

/** Where somebody types a password. */
type Typing = Pick<Open, "site" | "visit" | "address" | "clientId">;

/** A password, and as whose it was typed. */
interface TypedPassword {
  readonly name: string;
  readonly found: FoundUser | undefined;
  readonly password: string;
}

/** A person whose password it was. */
interface RightPassword {
  readonly found: FoundUser;
  readonly human: HumanState;
  readonly hash: string;
}

/**
 * Compares a password with that of a person, and counts the try. It costs the same where there is
 * nobody, and what is past the bound of the person is wrong.
 */
export async function tryPassword(
  typing: Typing,
  { name, found, password }: TypedPassword,
): Promise<RightPassword | "wrong" | "too many of the address"> {
  const { visit, address, site } = typing;
  const visitor = visitorOf(visit.request, site);
  const counted = await countTry(site, { name, found, address, ...visitor });
  if (counted === "too many of the address") return counted;
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
    await noteFailure(typing, found, "password");
    return "wrong";
  }
  await noteRight(site, by);
  return { found, human, hash };
}

export async function takeChange(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const isNext = (await findNext(open, found, step)) === "change";
  if (!isNext) return toLogin(open);
  const { site, visit, address } = open;
  const by = { found, address, ...visitorOf(visit.request, site) };
  const changed = await changePassword(site, by, visit.fields.of("password"));
  if ("wrong" in changed) {
    const { wrong } = changed;
    return { status: 400, page: changePage(open.target, { ...passwordCharacters, wrong }) };
  }
  const now = await findUser(open.site, found.userId);
  if (now === undefined) return expired;
  return await goOn(open, now, { ...step, hash: changed.hash });
}

/**
 * Records a failure of a person who is there. Where there is no event, since nobody is, or a
 * machine, or somebody locked or out of use, as much is written, and nothing said.
 */
export async function noteFailure(
  { site, visit, clientId: application }: Pick<Open, "site" | "visit" | "clientId">,
  found: FoundUser | undefined,
  factor: Factor,
): Promise<void> {
  site.countFactor({ application, factor, outcome: "failure" });
  const failed = { factor, ...eventFrom(site, fromOf(visit.request)) };
  const isRecorded =
    found !== undefined &&
    (await record(site, found, { decide: (state, nowMs) => failLogin(state, failed, nowMs) }));
  if (!isRecorded) await countNobody(site);
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
