import type { Interaction } from "oidc-provider";
import { codeFieldOf } from "../../domain/user/credential/code.ts";
import {
  judgePassword,
  passwordCharacters,
  type WrongPassword,
} from "../../domain/user/credential/password.ts";
import type { Shown } from "../../domain/user/human/phone.ts";
import { opensReset, resetPassword } from "../../domain/user/login/reset.ts";
import type { HumanState } from "../../domain/user/state/login-state.ts";
import { shownUserName } from "../../domain/user/state/user.ts";
import { findOrganizationName } from "../../execute/read-object.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import type { Whose } from "../../pages/brand.ts";
import { changedPage, resetPage } from "../../pages/html/forgotten.ts";
import type { LoginTarget } from "../../pages/html/login.ts";
import { problemNamed } from "../../pages/problem.ts";
import type { PageTable } from "../../pages/routes.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { languageOfLocales } from "../../text/language.ts";
import { decide } from "../base/decide.ts";
import { findDestination } from "../base/destination.ts";
import { findPageOrganization } from "../base/policy.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import type { Bound } from "../library/binding.ts";
import { hasBegun, rememberedLogin, visitorOf } from "./browser.ts";
import { type LoginSite, ok } from "./open.ts";

/** The pages behind the mail by which a forgotten password is replaced. */
export function resetPages(site: LoginSite): PageTable {
  return {
    "/ui/password": {
      get: (visit) => inLanguage(site, visit, show),
      post: (visit) => inLanguage(site, visit, take),
    },
    "/ui/password/changed": { get: (visit) => inLanguage(site, visit, showChanged) },
  };
}

/** Answers in the language of the login that the browser remembers. */
async function inLanguage(
  site: LoginSite,
  visit: Visit,
  answer: (site: LoginSite, visit: Visit, login: Remembered | undefined) => Promise<Answer>,
): Promise<Answer> {
  const login = await findRemembered(site, visit);
  const answered = await answer(site, visit, login);
  if (!("page" in answered)) return answered;
  return { ...answered, language: languageOfLocales(login?.params.ui_locales) };
}

const over: Answer = problemNamed("resetCode", 400);

async function show(site: LoginSite, visit: Visit): Promise<Answer> {
  const link = await readLink(site, visit);
  return link === undefined ? over : await ask(site, link);
}

async function take(site: LoginSite, visit: Visit): Promise<Answer> {
  const link = await readLink(site, visit);
  // Without a code nothing is written, and no password hashed.
  if (link === undefined) return over;
  const { found, human, shown } = link;
  const password = visit.fields.of("password");
  const wrong = judgePassword(
    password,
    { userName: found.state.userName, ...human },
    await readPopular(),
  );
  if (wrong !== undefined) return await ask(site, link, wrong);
  const address = site.addressOf(visit.request);
  const by = { found, address, ...visitorOf(visit.request, site) };
  const isDone = await site.passwords.byCode(`password ${found.userId}`, async () => {
    // Another may have used the code up meanwhile.
    if ((await readLink(site, visit)) === undefined) return false;
    // It may be sent again and again, so it waits as all do that are typed.
    const passwordHash = await site.guess.hash(by, password);
    return await decide(site, found, (state, nowMs) =>
      resetPassword(state, { ...shown, userId: found.userId, passwordHash }, nowMs),
    );
  });
  return isDone ? { redirect: "password/changed" } : over;
}

/** The link of a mail, whose code is the right one. */
interface Link {
  readonly found: FoundUser;
  readonly human: HumanState;
  readonly code: string;
  readonly shown: Shown;
}

async function readLink(site: LoginSite, { fields }: Visit): Promise<Link | undefined> {
  const found = await findUser(site, fields.of("userID"));
  const human = found?.state.human;
  if (found === undefined || human === undefined) return undefined;
  const code = fields.of("code");
  const sealedField = codeFieldOf("user.human.password.code.added", found.userId);
  const shown = { opens: (sealed: string) => site.keyring.opens(sealed, sealedField, code) };
  return opensReset(found.state, shown, site.now()) ? { found, human, code, shown } : undefined;
}

async function ask(
  site: LoginSite,
  { found: { userId, state }, code }: Link,
  wrong?: WrongPassword,
): Promise<Answer> {
  const { userName, organization } = state;
  const account = {
    ...{ userId, code, userName, displayName: shownUserName(state) },
    organization: await findOrganizationName(site.objects.current, organization),
    passwordCharactersMin: passwordCharacters.min,
    passwordCharactersMax: passwordCharacters.max,
  };
  const status = wrong === undefined ? 200 : 400;
  return { status, page: resetPage(account, wrong), whose: { organization } };
}

async function showChanged(
  site: LoginSite,
  _visit: Visit,
  login: Remembered | undefined,
): Promise<Answer> {
  const found = login && (await findTarget(site, login));
  return { ...ok(changedPage(found?.target)), whose: found?.whose };
}

interface Remembered extends Pick<Interaction, "params"> {
  readonly uid: string;
}

/** The login that somebody has begun in this browser, while it is open. */
async function findRemembered(
  site: LoginSite,
  { request }: Visit,
): Promise<Remembered | undefined> {
  const uid = rememberedLogin(request, site);
  if (uid === undefined) return undefined;
  const kept = await site.unit.artifacts.find(`Interaction:${hashSecret(uid)}`);
  const login = JSON.parse(kept?.payload ?? "{}") as Partial<Interaction> & Bound;
  const { params, result } = login;
  const isOpen = result === undefined && hasBegun(request, site, { ...login, uid });
  return params === undefined || !isOpen ? undefined : { uid, params };
}

/** Where the login leads, and whose pages it has. */
async function findTarget(
  site: LoginSite,
  { uid, params }: Remembered,
): Promise<{ readonly target: LoginTarget; readonly whose: Whose | undefined } | undefined> {
  const leadsTo = await findDestination(site, String(params.client_id));
  if (leadsTo === undefined) return undefined;
  const organization = await findOrganizationName(site.objects.current, leadsTo.organization);
  const begun = { clientId: String(params.client_id), scope: String(params.scope) };
  const page = await findPageOrganization(site, begun);
  const target = { uid, application: leadsTo.name, organization };
  return { target, whose: page === undefined ? undefined : { organization: page } };
}
