import { useRecoveryCode } from "../../domain/user/login/recovery.ts";
import type { Answer } from "../../pages/account.ts";
import { noRecoveryPage, recoveryPage } from "../../pages/html/recovery.ts";
import { opensRecovery } from "../../secrets/recovery.ts";
import type { FoundUser } from "../base/rows.ts";
import type { Step } from "../base/step.ts";
import { needed } from "./onward.ts";
import { type Open, ok } from "./open.ts";
import { takeCode } from "./second-factor.ts";

/** Asks somebody for a recovery code who has shown a password and has no one-time code at hand. */
export async function askForRecovery(
  { target }: Open,
  found: FoundUser,
  step: Step,
): Promise<Answer> {
  if (needed(found, step) !== "otp") return { redirect: `login/${target.uid}` };
  const { recoveryCodes = [] } = found.state.human ?? {};
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
