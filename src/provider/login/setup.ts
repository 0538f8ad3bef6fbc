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

/** Makes a secret, for this login alone. */
async function begin(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const { site, target } = open;
  if (!(await isNext(open, found, step))) return toLogin(open);
  const { secret, uri } = await beginOTP(site, { found, key: keyOf(open, found) });
  return ok(setupCodePage(target, { shared: secret, uri }));
}

/** Takes the first code, and shows recovery codes, this once. */
async function confirm(open: Open, found: FoundUser, step: Step): Promise<Answer> {
  const { site, target, visit } = open;
  if (!(await isNext(open, found, step))) return toLogin(open);
  const codes = Array.from({ length: recoveryCodesAtOnce }, () => createRecoveryCode(site.random));
  const hashes = codes.map(hashRecoveryCode);
  const { userId } = found;
  const confirmed = await confirmOTP(
    site,
    { found, key: keyOf(open, found) },
    { typed: visit.fields.of("code"), add: (shown) => add({ ...shown, userId, hashes }) },
  );
  if (confirmed === "wrong") return { status: 400, page: setupCodePage(target, "wrong") };
  if (confirmed === "over") return { status: 400, page: setupOfferPage(target, { isOver: true }) };
  await putStep(site, target.uid, { ...step, shown: [...step.shown, "otp"] });
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

async function isNext(open: Open, found: FoundUser, step: Step): Promise<boolean> {
  return (await findNext(open, found, step)) === "setup";
}

/** Under which a secret waits for its first code: several people may come so far in one login. */
function keyOf({ target }: Open, { userId }: FoundUser): string {
  return `login ${target.uid} ${userId}`;
}
