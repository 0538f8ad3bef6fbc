import { streamOf } from "../../domain/noun.ts";
import { useOTP } from "../../domain/user/login/otp.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Answer } from "../../pages/account.ts";
import { otpPage } from "../../pages/html/login.ts";
import type { SealedField } from "../../secrets/keyring.ts";
import { totpStep } from "../../secrets/totp.ts";
import { type Open, ok } from "./open.ts";
import { takeCode } from "./second-factor.ts";

/** The page that asks for a one-time code. */
export function showOTP({ target }: Open): Answer {
  return ok(otpPage(target, {}));
}

/** From the page for a recovery code to where the login stands. */
export async function backToOTP({ target }: Open): Promise<Answer> {
  return { redirect: `login/${target.uid}` };
}

/** Takes a one-time code of somebody who has shown a password. */
export const takeOTP = takeCode({
  factor: "otp",
  page: otpPage,
  use({ keyring, now }, { userId, state: { human } }, typed) {
    const secret = keyring.open(human?.otpSecret ?? "", otpFieldOf(userId));
    const step = totpStep(secret, typed.replaceAll(/\s/g, ""), now());
    return step === undefined ? undefined : (state) => useOTP(state, step);
  },
});

/** Where the secret of a person's authenticator app is sealed for. */
export function otpFieldOf(userId: string): SealedField {
  return { stream: streamOf(user, userId), field: "otp.secret" };
}
