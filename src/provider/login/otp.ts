import { streamOf } from "../../domain/noun.ts";
import { findLogin } from "../../domain/user/login/login.ts";
import { useOTP } from "../../domain/user/login/otp.ts";
import { user } from "../../domain/user/user.ts";
import type { Answer } from "../../pages/account.ts";
import { otpPage } from "../../pages/html/login.ts";
import { totpStep } from "../../secrets/totp.ts";
import { decide } from "../base/decide.ts";
import type { FoundUser } from "../base/rows.ts";
import type { Step } from "../base/step.ts";
import { countTry, noteRight } from "../base/tries.ts";
import { visitorOf } from "./browser.ts";
import { noteFailure } from "./factor.ts";
import { goOn, needed } from "./onward.ts";
import { type Open, ok } from "./open.ts";

/** The page that asks for a one-time code. */
export function showOTP({ target }: Open): Answer {
  return ok(otpPage(target, {}));
}

/** Takes a one-time code of somebody who has shown a password. */
export async function takeOTP(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const { visit, site, target } = open;
  const { human } = found.state;
  if (human?.otpSecret === undefined || needed(found, step) !== "otp") {
    return { redirect: `login/${target.uid}` };
  }
  const visitor = visitorOf(visit.request, site);
  const tried = { name: found.userId, found, address: open.address, ...visitor };
  const counted = await countTry(site, tried);
  const again = (wrong: "wrong" | "tooMany") => ({ status: 400, page: otpPage(target, { wrong }) });
  if (counted !== "counts") return again("tooMany");
  const sealedField = { stream: streamOf(user, found.userId), field: "otp.secret" };
  const secret = site.keyring.open(human.otpSecret, sealedField);
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
