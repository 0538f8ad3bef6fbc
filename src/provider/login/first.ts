import type { Answer } from "../../pages/account.ts";
import { loginPage, type WrongLogin } from "../../pages/html/first.ts";
import { findLinking, findOffers } from "./external.ts";
import type { Open } from "./open.ts";
import { autofillQuestion } from "./passkey-question.ts";

/** What the first page says of a password, or a passkey, by the status that it is sent with. */
const statuses: { readonly [wrong in WrongLogin]: number } = {
  wrong: 400,
  passkey: 400,
  tooMany: 429,
};

/** Who is asked, and what is wrong with what was sent before, or that it is not offered. */
interface Before {
  /** Left out, nothing is typed yet. */
  readonly userName?: string;
  readonly wrong?: WrongLogin;
  readonly isRefused?: boolean;
}

/** The first page of a login, which asks who somebody is; again, where something was wrong. */
export async function firstPage(
  open: Open,
  { userName = "", wrong, isRefused = false }: Before = {},
): Promise<Answer> {
  const { target, details } = open;
  const question = await autofillQuestion(open);
  // Who is logged in already comes to the account page for a fresh login.
  const isAgain = target.application === undefined && details.session !== undefined;
  const [providers, linking] = await Promise.all([findOffers(open), findLinking(open)]);
  const about = {
    ...{ userName, question, isAgain, providers, ...(wrong ? { wrong } : {}) },
    ...(linking ? { linking } : {}),
  };
  const status = isRefused ? 400 : 200;
  return { status: wrong ? statuses[wrong] : status, page: loginPage(target, about) };
}

/** The first page for the name that was typed there: see `Before`. */
export async function firstAgain(open: Open, told: Omit<Before, "userName">): Promise<Answer> {
  return await firstPage(open, { ...told, userName: open.visit.fields.of("userName") });
}
