import { isVouchedFor, withChosen } from "../../domain/comer.ts";
import { idp } from "../../domain/idp.ts";
import { optionsOf } from "../../domain/idp-sign-in.ts";
import { foldName } from "../../domain/name.ts";
import { registerExternal } from "../../domain/registration/register-external.ts";
import { codeFieldOf } from "../../domain/user/credential/code.ts";
import { accountCharacters, brokenParts, type OwnAccount } from "../../domain/user/human/human.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Answer } from "../../pages/account.ts";
import type { WrongAccount } from "../../pages/html/account-fields.ts";
import { externalAccountPage, externalProblemPage } from "../../pages/html/external.ts";
import { languageFor } from "../../pages/language-choice.ts";
import { createCode } from "../../secrets/codes.ts";
import { languageOfLocales } from "../../text/language.ts";
import { accountClientId } from "../base/destination.ts";
import { findUser } from "../base/rows.ts";
import { countChosenName, countCreated } from "../base/tries.ts";
import { type Arrived, removeArrived } from "../external/arrived.ts";
import { finishNew, shapeNew } from "./actions.ts";
import { elsewhereOf, findOffered } from "./external.ts";
import { goOn } from "./onward.ts";
import { notAllowed, type Open, ok } from "./open.ts";

/** Makes an account of what the provider says, where that will do; else asks for the rest. */
export async function beginAccount(
  open: Open,
  arrived: Arrived,
  isAtOnce: boolean,
): Promise<Answer> {
  const { firstName, lastName, email, userName } = arrived.comer;
  const account = { userName: userName || email, firstName, lastName, email };
  const wrong = problemsOf(arrived, account);
  const isWhole = Object.keys(wrong).length === 0;
  if (isAtOnce && isWhole) return await create(open, arrived, account);
  // Who has typed nothing yet has made no mistake.
  return await ask(open, arrived, account);
}

/** Takes what somebody has typed of an account that comes of a login at a provider. */
export async function takeAccount(open: Open, arrived: Arrived): Promise<Answer> {
  const of = (name: keyof OwnAccount) => open.visit.fields.of(name).trim();
  const account = {
    ...{ userName: of("userName"), email: of("email") },
    ...{ firstName: of("firstName"), lastName: of("lastName") },
  };
  const wrong = problemsOf(arrived, account);
  if (Object.keys(wrong).length > 0) return await ask(open, arrived, account, wrong);
  return await create(open, arrived, account);
}

/** What is wrong with an account: nobody takes the address of another for a name. */
function problemsOf({ comer }: Arrived, account: OwnAccount): WrongAccount {
  const broken = brokenParts(account).map((name) => [name, "invalid"] as const);
  const name = foldName(account.userName);
  const isOwn = isVouchedFor(comer, account.email) && name === foldName(account.email);
  const isForeign = name.includes("@") && !isOwn;
  return { ...(isForeign ? { userName: "address" } : {}), ...Object.fromEntries(broken) };
}

async function ask(
  open: Open,
  arrived: Arrived,
  account: OwnAccount,
  wrong: WrongAccount = {},
): Promise<Answer> {
  const rule = {
    nameCharactersMax: accountCharacters.name,
    emailCharactersMax: accountCharacters.email,
  };
  const elsewhere = await elsewhereOf(open, arrived);
  const page = externalAccountPage(open.target, account, { elsewhere, rule, wrong });
  if (Object.keys(wrong).length === 0) return ok(page);
  return { status: wrong.userName === "taken" ? 409 : 400, page };
}

/** Creates the person, who is then let in. A name that is taken is asked for anew. */
async function create(open: Open, arrived: Arrived, chosen: OwnAccount): Promise<Answer> {
  const { site, target, organization, details, visit, clientId } = open;
  const { idpId } = arrived;
  const usable = await findOffered(open, idpId);
  const isAllowed = usable !== undefined && optionsOf(usable.state).isCreationAllowed;
  if (organization === undefined || !isAllowed) return notAllowed(open);
  const isNamed = await countChosenName(site, `external ${target.uid}`);
  if (!isNamed || !(await countCreated(site, open.address))) {
    return { status: 429, page: externalProblemPage(target, "tooMany") };
  }
  const before = withChosen(arrived.comer, chosen);
  const comer = await shapeNew(open, 1, { comer: before, organization });
  const { userName, firstName, lastName, email } = comer;
  const account = { userName, firstName, lastName, email };
  const id = site.newId();
  const code = site.keyring.seal(
    createCode(site.random),
    codeFieldOf("user.human.email.code.added", id),
  );
  const asked = languageOfLocales(details.params.ui_locales);
  const preferredLanguage = comer.preferredLanguage || languageFor(visit.request.headers, asked);
  const made = { idpId, comer, account, organization, preferredLanguage };
  const outcome = await site.execute({
    actor: id,
    ...(clientId === accountClientId ? {} : { through: clientId }),
    writes: { user: { noun: user, id, owner: organization, isNew: true } },
    relies: { provider: { noun: idp, id: idpId } },
    decide: (states, nowMs) =>
      registerExternal(states.provider, { ...made, emailCode: code }, nowMs),
    // Without room for the mail the address stays unverified.
    unsent: (states, nowMs) => registerExternal(states.provider, made, nowMs),
  });
  if (outcome.kind === "rejected" && outcome.rejection.reason === "NAME_TAKEN") {
    return await ask(open, arrived, account, { userName: "taken" });
  }
  await removeArrived(site, target.uid);
  const found = outcome.kind === "done" ? await findUser(site, id) : undefined;
  if (found === undefined) {
    return { status: 409, page: externalProblemPage(target, "unlinked") };
  }
  const external = {
    ...{ idpId, externalUserId: comer.externalUserId },
    ...(arrived.askedMs === undefined ? {} : { askedMs: arrived.askedMs }),
  };
  await finishNew(open, 1, { found, metadata: comer.metadata });
  return await goOn(open, found, { shown: ["external"], external, hash: "" });
}
