import { comerOf } from "../../domain/comer.ts";
import { foldName, loginNameProblem } from "../../domain/name.ts";
import type { PendingRegistration } from "../../domain/registration/pending.ts";
import { type ChosenWay, registerHuman, takeOver } from "../../domain/registration/register.ts";
import { judgePassword, passwordCharacters } from "../../domain/user/credential/password.ts";
import { accountCharacters, completeName } from "../../domain/user/human/human.ts";
import type { Passkey } from "../../domain/user/state/passkey.ts";
import { user } from "../../domain/user/state/user.ts";
import { findRegistered } from "../../execute/registered.ts";
import { failureOf } from "../../gateway/call/errors.ts";
import type { Answer } from "../../pages/account.ts";
import { registerNoticePage } from "../../pages/html/register.ts";
import {
  registerPasskeyPage,
  registerWayPage,
  type WrongWay,
} from "../../pages/html/register-way.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";
import { accountClientId } from "../base/destination.ts";
import { removeRegistration } from "../base/pending-registration.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { countChosenName } from "../base/tries.ts";
import { finishNew, shapeNew } from "./actions.ts";
import { goOn, letIn } from "./onward.ts";
import { type Open, ok } from "./open.ts";

/** The page on which somebody whose address is proven chooses how to log in. */
export function showWay(
  { target, policy }: Open,
  { email }: PendingRegistration,
  { userName = email, wrong = {} }: { readonly userName?: string; readonly wrong?: WrongWay } = {},
): Answer {
  const ways = {
    ...{ userName, allowPassword: policy.allowPassword, allowPasskeys: policy.allowPasskeys },
    asksUserName: wrong.userName !== undefined || userName !== email || !isName(email),
    passwordCharactersMin: passwordCharacters.min,
    passwordCharactersMax: passwordCharacters.max,
    nameCharactersMax: accountCharacters.name,
  };
  const page = registerWayPage(target, ways, wrong);
  if (Object.keys(wrong).length === 0) return ok(page);
  return { status: wrong.userName === "taken" ? 409 : 400, page };
}

/** The login name that was chosen, and what is wrong with it. */
function nameOf({ visit }: Open, { email }: PendingRegistration) {
  const userName = visit.fields.of("userName").trim() || email;
  if (!isName(userName)) return { userName, wrong: { userName: "invalid" } } as const;
  // Nobody takes the address of another for a name, however its @ is written.
  const claimed = foldName(userName);
  const isForeign = claimed.includes("@") && claimed !== foldName(email);
  return isForeign ? ({ userName, wrong: { userName: "address" } } as const) : { userName };
}

function isName(userName: string): boolean {
  const { length } = [...userName];
  return length <= accountCharacters.name && loginNameProblem(userName) === undefined;
}

export async function takeNewPassword(open: Open, pending: PendingRegistration): Promise<Answer> {
  const { site, visit, address, policy } = open;
  const { userName, ...named } = nameOf(open, pending);
  if (named.wrong !== undefined || !policy.allowPassword)
    return showWay(open, pending, { userName, ...named });
  const password = visit.fields.of("password");
  const names = { ...pending, userName, nickName: "", displayName: "" };
  const wrong = judgePassword(
    password,
    { ...names, displayName: completeName(names) },
    await readPopular(),
  );
  if (wrong !== undefined) return showWay(open, pending, { userName, wrong: { password: wrong } });
  // Somebody who registers waits as all strangers do.
  const passwordHash = await site.guess.hash({ found: undefined, address }, password);
  const made = await create(open, pending, { userName, passwordHash });
  if (typeof made === "string") return refuse(open, pending, { userName, made });
  return await goOn(open, made, { shown: ["password"], hash: passwordHash });
}

/** Has a browser create a passkey for the account that is about to exist. */
export async function askForCreation(open: Open, pending: PendingRegistration): Promise<Answer> {
  const { userName, ...named } = nameOf(open, pending);
  if (named.wrong !== undefined || !open.policy.allowPasskeys)
    return showWay(open, pending, { userName, ...named });
  return await showCreation(open, pending, { userName, isWrong: false });
}

async function showCreation(
  open: Open,
  pending: PendingRegistration,
  { userName, isWrong }: { readonly userName: string; readonly isWrong: boolean },
): Promise<Answer> {
  const link = await linkOf(open, pending);
  if (link === undefined) return refuse(open, pending, { userName, made: "held" });
  const displayName = completeName({ ...pending, displayName: "" });
  const options = await open.site.passkeys.createOptions(link, {
    userName,
    displayName,
    passkeys: [],
  });
  const asked = { options: JSON.stringify(options), userName, isWrong };
  return { status: isWrong ? 400 : 200, page: registerPasskeyPage(open.target, asked) };
}

export async function takeCreated(open: Open, pending: PendingRegistration): Promise<Answer> {
  const { userName, ...named } = nameOf(open, pending);
  if (named.wrong !== undefined || !open.policy.allowPasskeys)
    return showWay(open, pending, { userName, ...named });
  const link = await linkOf(open, pending);
  const passkey = link && (await readPasskey(open, link));
  if (link === undefined || passkey === undefined) {
    return await showCreation(open, pending, { userName, isWrong: true });
  }
  const made = await create(open, pending, { userName, passkey });
  if (typeof made === "string") return refuse(open, pending, { userName, made });
  const { credentialId, counter } = passkey;
  return await letIn(open, made, { factors: ["passkey"], passkey: { credentialId, counter } });
}

/** Whom the registration makes, or who takes an account over; undefined where that is nobody. */
async function linkOf({ site }: Open, pending: PendingRegistration) {
  const registered = await findRegistered(site.store, pending);
  if (registered.kind === "held") return undefined;
  const userId = registered.kind === "unfinished" ? registered.userId : pending.userId;
  return { ...registered, userId, codeId: pending.id };
}

/** The passkey that the browser has created; undefined where it was not asked for, or is none. */
async function readPasskey(
  { site, visit: { fields } }: Open,
  link: { readonly userId: string; readonly codeId: string },
): Promise<Passkey | undefined> {
  const created = {
    ...{ id: fields.of("id"), clientDataJson: fields.of("clientDataJSON") },
    attestationObject: fields.of("attestationObject"),
    transports: fields.of("transports").split(" ").filter(Boolean),
  };
  try {
    return { ...(await site.passkeys.verify(link, created)), name: "" };
  } catch (thrown) {
    if (failureOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** Why nobody was made. */
type Unmade = "taken" | "held" | "over";

/**
 * Makes the person, or gives the account that waits to it, in one append. Who has the address is
 * looked at once more: somebody may have proven it meanwhile.
 */
async function create(
  open: Open,
  pending: PendingRegistration,
  { userName, ...way }: ChosenWay & { readonly userName: string },
): Promise<FoundUser | Unmade> {
  const { site, clientId, target } = open;
  const link = await linkOf(open, pending);
  if (link === undefined) return "held";
  if (!(await mayTryName(open, pending, userName))) return "over";
  const { userId: id, kind } = link;
  const { id: registrationId, language: preferredLanguage, organization } = pending;
  const isNew = kind === "nobody";
  const said = { ...pending, userName, displayName: "", isEmailVerified: true, preferredLanguage };
  const comer = comerOf(said);
  const shaped = isNew ? await shapeNew(open, 3, { comer, organization }) : comer;
  const outcome = await site.execute({
    actor: id,
    ...(clientId === accountClientId ? {} : { through: clientId }),
    writes: { user: { noun: user, id, ...(isNew ? { owner: organization, isNew } : {}) } },
    decide: (states, nowMs) => {
      const registered = { ...pending, ...way, registrationId };
      return isNew
        ? registerHuman({ ...registered, comer: shaped }, nowMs)
        : takeOver(states.user, registered, nowMs);
    },
  });
  if (outcome.kind === "rejected" && outcome.rejection.reason === "NAME_TAKEN") return "taken";
  if (outcome.kind !== "done") return "over";
  await removeRegistration(site, target.uid);
  const found = await findUser(site, id);
  if (found === undefined) return "over";
  if (isNew) await finishNew(open, 3, { found, metadata: shaped.metadata });
  return found;
}

/** Counts a name that somebody chose: whether it is taken is told, and so not for any number. */
async function mayTryName(
  { site, target }: Open,
  { id, email }: PendingRegistration,
  userName: string,
): Promise<boolean> {
  if (foldName(userName) === foldName(email) || (await countChosenName(site, id))) return true;
  await removeRegistration(site, target.uid);
  return false;
}

function refuse(
  open: Open,
  pending: PendingRegistration,
  { userName, made }: { readonly userName: string; readonly made: Unmade },
): Answer {
  if (made === "taken") return showWay(open, pending, { userName, wrong: { userName: "taken" } });
  return { status: made === "held" ? 409 : 400, page: registerNoticePage(open.target, made) };
}
