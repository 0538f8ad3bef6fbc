import { recoveryCodesAtOnce, setUpOTP } from "../../domain/user/own/factor.ts";
import type { Answer } from "../../pages/account.ts";
import { setupCodePage, setupCodesPage, setupOfferPage } from "../../pages/html/setup.ts";
import { createRecoveryCode, hashRecoveryCode } from "../../secrets/recovery.ts";
import { decide } from "../base/decide.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { putStep, type Step } from "../base/step.ts";
import { beginOTP, confirmOTP } from "./new-otp.ts";
import { findNext, letIn, shownIn, soFar } from "./onward.ts";
import { type Open, ok, toLogin } from "./open.ts";

/** What takes the forms by which somebody sets an authenticator app up who has to have one. */
export const setupTakers = {
  setup: soFar(begin),
  "setup-code": soFar(confirm),
  "setup-done": soFar(end),
};

/** Makes a secret, for this login alone, which goes on for as long as the secret waits. */
async function begin(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const { site, target } = open;
  if ((await findNext(open, found, step)) !== "setup") return toLogin(open);
  const { secret, uri } = await beginOTP(site, { found, key: keyOf(open, found) });
  await putStep(site, target.uid, step);
  return ok(setupCodePage(target, { shared: secret, uri }));
}

/** Takes the first code, and shows recovery codes, this once. */
async function confirm(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const { site, target, visit } = open;
  const next = await findNext(open, found, step);
  // The form may have come twice: until the first is answered, a code of the app is asked for.
  const isAgain = next === "otp" || (next === undefined && step.shown.includes("otp"));
  if (next !== "setup" && !isAgain) return toLogin(open);
  const codes = Array.from({ length: recoveryCodesAtOnce }, () => createRecoveryCode(site.random));
  const hashes = codes.map(hashRecoveryCode);
  const { userId } = found;
  const confirmed = await confirmOTP(
    site,
    { found, key: keyOf(open, found) },
    { typed: visit.fields.of("code"), add: (shown) => add({ ...shown, userId, hashes }) },
  );
  if (confirmed !== "added" && isAgain) return toLogin(open);
  if (confirmed === "wrong") return { status: 400, page: setupCodePage(target, "wrong") };
  if (confirmed === "over") return { status: 400, page: setupOfferPage(target, { isOver: true }) };
  const shown = new Set(step.shown).add("otp");
  await putStep(site, target.uid, { ...step, shown: [...shown] });
  return ok(setupCodesPage(target, { codes }));

  async function add(made: Parameters<typeof setUpOTP>[1]): Promise<boolean> {
    return await decide(site, found, (state, nowMs) => setUpOTP(state, made, nowMs));
  }
}

async function end(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  if ((await findNext(open, found, step)) !== undefined) return toLogin(open);
  const now = (await findUser(open.site, found.userId)) ?? found;
  return await letIn(open, now, shownIn(step));
}

/** Under which a secret waits for its first code: several people may come so far in one login. */
function keyOf({ target }: Open, { userId }: FoundUser): string {
  return `login ${target.uid} ${userId}`;
}
