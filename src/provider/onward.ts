import type { Factor } from "../domain/user/login-state.ts";
import type { Answer } from "../pages/account.ts";
import { hashSecret } from "../secrets/tokens.ts";
import { knowBrowser } from "./browser.ts";
import { toldLogin } from "./grant.ts";
import { finish, type LoginSite, type Open, refuse } from "./open.ts";
import { type FoundUser, findUser, mayLogIn } from "./rows.ts";
import { putStep, removeStep, type Step } from "./step.ts";

/** On to what else has to be shown or done, or back to the application. */
export async function goOn(
  open: Open,
  found: FoundUser,
  { shown, hash }: { readonly shown: readonly Factor[]; readonly hash: string },
): Promise<Answer> {
  const { site, target, visit } = open;
  const step = { userId: found.userId, shown, password: hashSecret(hash) };
  const { human } = found.state;
  if (needsOTP(found, step) || human?.passwordChangeRequired) {
    await putStep(site, target.uid, step);
    return { redirect: `login/${target.uid}` };
  }
  await removeStep(site, target.uid);
  if (!mayLogIn(found, open.project)) {
    return await refuse(open, "the person may not use this application");
  }
  const told = { factors: shown, browser: knowBrowser(visit.request, visit.reply, site) };
  return await finish(open, {
    login: { accountId: found.userId, amr: shown.map((factor) => amrOf[factor]), remember: true },
    ...{ consent: {}, select_account: {}, [toldLogin]: told },
  });
}

/** Authentication methods as RFC 8176 names them. */
const amrOf = { password: "pwd", otp: "otp" } as const;

/** Whether a one-time code has to be shown yet. */
export function needsOTP({ state }: FoundUser, { shown }: Pick<Step, "shown">): boolean {
  return state.human?.otpSecret !== undefined && !shown.includes("otp");
}

/** The person who has come so far, unless another password was set meanwhile. */
export async function findShown(site: LoginSite, step: Step): Promise<FoundUser | undefined> {
  const found = await findUser(site, step.userId);
  const human = found?.state.isInactive ? undefined : found?.state.human;
  return hashSecret(human?.passwordHash ?? "") === step.password ? found : undefined;
}
