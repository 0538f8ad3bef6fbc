import { findLogin } from "../../domain/user/login/login.ts";
import { useOTP } from "../../domain/user/login/otp.ts";
import { useRecoveryCode } from "../../domain/user/login/recovery.ts";
import type { UserDecision } from "../../domain/user/state/acting.ts";
import { type Factor, factors } from "../../domain/user/state/factor.ts";
import type { UserState } from "../../domain/user/state/user.ts";
import type { Answer } from "../../pages/account.ts";
import { type LoginTarget, otpPage, type WrongCode } from "../../pages/html/login.ts";
import type { Frame, Page } from "../../pages/html/page.ts";
import { noRecoveryPage, recoveryPage } from "../../pages/html/recovery.ts";
import { opensRecovery } from "../../secrets/recovery.ts";
import { totpStep } from "../../secrets/totp.ts";
import { readCode } from "../../text/typed.ts";
import { decide } from "../base/decide.ts";
import type { FoundUser } from "../base/rows.ts";
import type { Step } from "../base/step.ts";
import { countTry, noteRight } from "../base/tries.ts";
import { visitorOf } from "./browser.ts";
import { noteFailure } from "./factor.ts";
import { otpFieldOf } from "./new-otp.ts";
import { goOn, needed } from "./onward.ts";
import { type LoginSite, type Open, ok, toLogin } from "./open.ts";

/** How one kind of code is taken from somebody who has shown a password. */
interface CodeWay {
  readonly factor: Factor;
  readonly page: (
    target: LoginTarget,
    told: { readonly wrong: WrongCode },
  ) => (frame: Frame) => Page;
  /** What uses the code up that somebody typed; undefined where it is none. */
  readonly use: (
    site: LoginSite,
    found: FoundUser,
    typed: string,
  ) => ((state: UserState | undefined) => UserDecision) | undefined;
}

/**
 * Makes what takes a one-time code, or what stands in for one: each wrong one counts, and a lock
 * holds for all.
 */
function takeCode({ factor, page, use }: CodeWay) {
  return async (open: Open, found: FoundUser, step: Step): Promise<Answer> => {
    const { visit, site, target } = open;
    if (needed(found, step) !== "otp") return toLogin(open);
    const visitor = visitorOf(visit.request, site);
    const { weight } = factors[factor];
    const who = { name: found.userId, found, address: open.address, ...visitor };
    const tried = { ...who, weight, isCode: true };
    const again = (wrong: WrongCode) => ({ status: 400, page: page(target, { wrong }) });
    const counted = await countTry(site, tried);
    if (counted === "too many of the day") return again("tooManyInDay");
    if (counted !== "counts") return again("tooMany");
    const decision = use(site, found, visit.fields.of("code"));
    const isAllowed = findLogin(found.state, visitor, site.now()) !== undefined;
    if (!decision || !isAllowed || !(await decide(site, found, decision))) {
      await noteFailure(open, found, factor);
      return again("wrong");
    }
    await noteRight(site, tried);
    const hash = found.state.human?.passwordHash ?? "";
    return await goOn(open, found, { ...step, shown: [...step.shown, factor], hash });
  };
}

/** Takes a one-time code of somebody who has shown a password. */
export const takeOTP = takeCode({
  factor: "otp",
  page: otpPage,
  use({ keyring, now }, { userId, state: { human } }, typed) {
    const secret = keyring.open(human?.otpSecret ?? "", otpFieldOf(userId));
    const step = totpStep(secret, readCode(typed), now());
    return step === undefined ? undefined : (state) => useOTP(state, step);
  },
});

/** Asks somebody for a recovery code who has shown a password and has no one-time code at hand. */
export async function askForRecovery(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  if (needed(found, step) !== "otp") return toLogin(open);
  const { recoveryCodes = [] } = found.state.human ?? {};
  const { target } = open;
  return ok(recoveryCodes.length === 0 ? noRecoveryPage(target) : recoveryPage(target, {}));
}

/** Takes a recovery code in place of a one-time code. */
export const takeRecovery = takeCode({
  factor: "recovery",
  page: recoveryPage,
  use: (_site, _found, typed) => {
    const opens = opensRecovery(typed);
    return (state) => useRecoveryCode(state, { opens });
  },
});
