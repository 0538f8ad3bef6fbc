import { activities } from "../../src/pages/account-parts.ts";
import { activityPage } from "../../src/pages/html/account/activity.ts";
import {
  authenticatorPage,
  confirmPage,
  recoveryCodesPage,
  setupPage,
} from "../../src/pages/html/account/authenticator.ts";
import { dataPage } from "../../src/pages/html/account/data.ts";
import { ownEmailPage } from "../../src/pages/html/account/email.ts";
import { erasurePage } from "../../src/pages/html/account/erasure.ts";
import { notLoggedInPage, overviewPage } from "../../src/pages/html/account/overview.ts";
import { passkeysPage } from "../../src/pages/html/account/passkeys.ts";
import { passwordPage } from "../../src/pages/html/account/password.ts";
import { ownPhonePage } from "../../src/pages/html/account/phone.ts";
import { profilePage } from "../../src/pages/html/account/profile.ts";
import { sessionsPage } from "../../src/pages/html/account/sessions.ts";
import { consentPage } from "../../src/pages/html/consent.ts";
import { emailCodePage, emailPage } from "../../src/pages/html/email.ts";
import { loginPage } from "../../src/pages/html/first.ts";
import { changedPage, forgottenPage, resetPage, sentPage } from "../../src/pages/html/forgotten.ts";
import { homePage } from "../../src/pages/html/home.ts";
import { accountPage, initializationCodePage } from "../../src/pages/html/initialization.ts";
import {
  changePage,
  loginNoticePage,
  logoutPage,
  otpPage,
  proceedPage,
} from "../../src/pages/html/login.ts";
import { donePage, problemPage } from "../../src/pages/html/notice.ts";
import { nobodyLogoutPage, onwardPage } from "../../src/pages/html/onward.ts";
import { documentOf, type Frame, type Page, type PageContext } from "../../src/pages/html/page.ts";
import { passkeyPage, passkeysFullPage } from "../../src/pages/html/passkey.ts";
import { passkeyLoginPage } from "../../src/pages/html/passkey-login.ts";
import { phonePage } from "../../src/pages/html/phone.ts";
import { noRecoveryPage, recoveryPage } from "../../src/pages/html/recovery.ts";
import { refusedPage } from "../../src/pages/html/refused.ts";
import {
  setupCodePage,
  setupCodesPage,
  setupDonePage,
  setupOfferPage,
} from "../../src/pages/html/setup.ts";
import type { Problem } from "../../src/pages/notice.ts";
import type { After } from "../../src/pages/texts.ts";
import { html } from "../../src/text/html.ts";
import type { Language } from "../../src/text/language.ts";
import { devicePages } from "./device-pages.ts";
import { externalPages } from "./external-pages.ts";
import { linkPages } from "./link-pages.ts";
import { registerPages } from "./register-pages.ts";

/** Every page there is, with a text of the test's choice wherever data goes. */

export const afters: readonly After[] = [
  ...(["account", "passkey", "phone", "email", "owner", "something"] as const),
];
export const problems: readonly Problem[] = [
  ...(["link", "code", "passkeyCode", "emailCode", "resetCode"] as const),
  ...(["ownerLink", "missing", "form", "later", "fault"] as const),
];

const allWays = { password: true, passkey: true, reset: true, register: true };
const noWays = { password: false, passkey: false, reset: false, register: false };

export function pagesWith(given: string): ReadonlyMap<string, (frame: Frame) => Page> {
  const account = {
    ...{ userId: given, code: given, userName: given, displayName: given },
    organization: given,
    ...{ passwordCharactersMin: 8, passwordCharactersMax: 256 },
  };
  const link = { userId: given, codeId: given, code: given, userName: given };
  const target = { uid: given, application: given, organization: given };
  const toAccount = { ...target, application: undefined };
  const onlyPasskeys = { ...target, ways: { ...noWays, passkey: true } };
  const onlyPasswords = { ...target, ways: { ...noWays, password: true } };
  const may = { begin: true, remove: true };
  const mayNothing = { begin: false, remove: false };
  const rule = { min: 8, max: 256 };
  const asked = { options: given, userName: given };
  const first = { userName: given, question: given };
  const consent = { displayName: given, site: given } as const;
  const asks = ["api", "profile", "email", "phone", "away"] as const;
  const right = { isWrong: false };
  const refused = { error: given, description: given, requestId: given, clientId: given };
  const wrong = { isWrong: true };
  const whose = { displayName: given, secret: given };
  const noApp = { ...whose, hasOne: false, codesLeft: 0 };
  const hasApp = { ...whose, hasOne: true, codesLeft: 7 };
  return new Map([
    ["home", homePage],
    ["code", initializationCodePage({ userId: given, code: given }, right)],
    ["wrong code", initializationCodePage({ userId: given, code: "" }, wrong)],
    ["account", accountPage({ ...account, needsPassword: true }, {})],
    ["wrong password", accountPage({ ...account, needsPassword: true }, { wrong: "length" })],
    ["account with a password", accountPage({ ...account, needsPassword: false }, {})],
    ["passkey", passkeyPage({ ...link, done: "done?after=passkey", passkeysMax: 50 })],
    ["problem of too many passkeys", passkeysFullPage({ passkeysMax: 50 })],
    ["phone", phonePage(given, right)],
    ["wrong phone code", phonePage(given, wrong)],
    ["e-mail", emailPage({ userId: given, code: given })],
    ["e-mail code", emailCodePage({ userId: given, code: given }, right)],
    ["wrong e-mail code", emailCodePage({ userId: given, code: "" }, wrong)],
    ["login", loginPage(target, { ...first, userName: "" })],
    ["login with a name", loginPage(target, first)],
    ["login once more", loginPage(toAccount, { ...first, isAgain: true })],
    ["wrong login", loginPage(target, { ...first, wrong: "wrong" })],
    ["wrong login, too often", loginPage(target, { ...first, wrong: "tooMany" })],
    ["login without passwords", loginPage(onlyPasskeys, first)],
    ["wrong login without passwords", loginPage(onlyPasskeys, { ...first, wrong: "passkey" })],
    ["passkey without passwords", passkeyLoginPage(onlyPasskeys, { ...asked, isWrong: false })],
    ["login without passkeys", loginPage(onlyPasswords, first)],
    ["set-up asked for", setupOfferPage(target, {})],
    ["problem of a set-up", setupOfferPage(target, { isOver: true })],
    ["set-up", setupCodePage(target, { shared: given, uri: "otpauth://x" })],
    ["wrong code of a set-up", setupCodePage(target, "wrong")],
    ["codes of a set-up", setupCodesPage(target, { codes: [given, given] })],
    ["set-up done", setupDonePage(target)],
    ["problem of a login that is not allowed", loginNoticePage("notAllowed", target)],
    ["login with a passkey", passkeyLoginPage(target, { ...asked, isWrong: false })],
    ["wrong passkey", passkeyLoginPage(target, { ...asked, isWrong: true })],
    ["one-time code", otpPage(target, {})],
    ["wrong one-time code", otpPage(target, { wrong: "wrong" })],
    ["recovery code", recoveryPage(target, {})],
    ["wrong recovery code", recoveryPage(target, { wrong: "wrong" })],
    ["problem of somebody without a recovery code", noRecoveryPage(target)],
    ["another password", changePage(target, rule)],
    ["wrong other password", changePage(target, { ...rule, wrong: "same" })],
    ["going on", proceedPage({ ...target, isAway: true }, { displayName: given })],
    ["consent", consentPage(target, { ...consent, asks })],
    ["consent to less", consentPage(target, { ...consent, asks: ["api"] })],
    ["forgotten password", forgottenPage(target, { userName: given, isTooMuch: false })],
    ["mail on its way", sentPage(target)],
    ["password for a forgotten one", resetPage(account, undefined)],
    ["wrong password for a forgotten one", resetPage(account, "common")],
    ["forgotten password changed", changedPage(target)],
    ["login of who may register", loginPage({ ...target, ways: allWays }, first)],
    ...[...externalPages(given), ...registerPages(given), ...devicePages(given)],
    ["logout", logoutPage({ secret: given })],
    ["form that goes on by itself", onwardPage({ action: given, fields: { code: given } })],
    ["logout of nobody", nobodyLogoutPage({ secret: given })],
    ["logged out", loginNoticePage("loggedOut")],
    ["own account", overviewPage(overviewWith(given, undefined))],
    ["own account that is to be erased", overviewPage(overviewWith(given, 1_800_000_000_000))],
    ...ownPages(given),
    ["sessions", sessionsPage(sessionsWith(given))],
    ["sessions once one is ended", sessionsPage({ ...sessionsWith(given), done: "ended" })],
    ["passkeys", passkeysPage(passkeysWith(given))],
    ["passkeys once one is renamed", passkeysPage({ ...passkeysWith(given), done: "renamed" })],
    ["no passkey", passkeysPage({ ...passkeysWith(given), passkeys: [] })],
    ["wrong name of a passkey", passkeysPage({ ...passkeysWith(given), misnamed: "another" })],
    ["only passkey", passkeysPage({ ...passkeysWith(given), isOnly: true })],
    ["problem of too many passkeys", passkeysPage({ ...passkeysWith(given), problem: "full" })],
    [
      "problem of passkeys removed too often",
      passkeysPage({ ...passkeysWith(given), problem: "tooOften" }),
    ],
    ...linkPages(given, whose),
    ["no authenticator app", authenticatorPage({ ...noApp, may })],
    ["no authenticator app any more", authenticatorPage({ ...noApp, may, isRemoved: true })],
    ["authenticator app", authenticatorPage({ ...hasApp, may })],
    ["problem of an authenticator app", authenticatorPage({ ...noApp, may, problem: "over" })],
    ["authenticator app not allowed", authenticatorPage({ ...noApp, may: mayNothing })],
    ["authenticator app forced", authenticatorPage({ ...hasApp, may: mayNothing })],
    ["secret of an authenticator app", setupPage({ ...whose, shared: given, uri: "otpauth://x" })],
    ["wrong code of an authenticator app", confirmPage(whose)],
    ["recovery codes", recoveryCodesPage({ ...whose, codes: [given, given] })],
    ["activity", activityPage({ ...whose, happened: happenedWith("198.51.100.0/24") })],
    ["no activity", activityPage({ ...whose, happened: [] })],
    ["data", dataPage(whose)],
    ["erasure", erasurePage({ ...whose, erasedMs: undefined, holdsRoles: false })],
    [
      "erasure that is withdrawn",
      erasurePage({ ...whose, erasedMs: undefined, holdsRoles: false, isWithdrawn: true }),
    ],
    [
      "problem of an erasure that is asked for too often",
      erasurePage({ ...whose, erasedMs: undefined, holdsRoles: false, isTooOften: true }),
    ],
    [
      "erasure of somebody with roles",
      erasurePage({ ...whose, erasedMs: undefined, holdsRoles: true }),
    ],
    [
      "erasure that was asked for",
      erasurePage({ ...whose, erasedMs: 1_800_000_000_000, holdsRoles: false }),
    ],
    ["login to the account that came to nothing", notLoggedInPage],
    ["problem of an account that is not set up", loginNoticePage("unready")],
    ["problem of a login of such an account", loginNoticePage("unready", target)],
    ["problem of a login that is over", loginNoticePage("expired")],
    ["problem of a login that is refused", refusedPage({ ...refused, uri: given })],
    ["problem of a logout that is refused", refusedPage({ ...refused, ofLogout: true })],
    ...afters.map((after) => [`done with ${after}`, donePage({ after })] as const),
    ["done but for the phone", donePage({ after: "account", phoneOf: given })],
    ...problems.map((problem) => [`problem ${problem}`, problemPage(problem, given)] as const),
  ]);
}

/** The pages on which people change what is kept of them. */
function ownPages(given: string) {
  const whose = { displayName: given, secret: given };
  const profile = {
    ...{ firstName: given, lastName: given, nickName: given, displayName: given },
    ...({ preferredLanguage: "de", gender: "UNSPECIFIED" } as const),
  };
  const names = { ...whose, profile, nameCharactersMax: 200 };
  const rule = { passwordCharactersMin: 8, passwordCharactersMax: 256 };
  const password = { ...whose, ...rule, userName: given, hasPassword: true, isAllowed: true };
  const address = { ...whose, email: given, isEmailVerified: false, typed: given };
  const email = { ...address, requested: undefined, emailCharactersMax: 254 };
  const waiting = { ...email, requested: given };
  const phone = { ...whose, phone: undefined, typed: given, phoneCharactersMax: 50 };
  const number = { ...phone, phone: { number: given, isVerified: false } };
  return [
    ["names", profilePage(names)],
    ["names that are saved", profilePage({ ...names, isSaved: true })],
    ["wrong names", profilePage({ ...names, wrong: ["firstName", "preferredLanguage"] })],
    ["problem of names that change too often", profilePage({ ...names, isTooOften: true })],
    ["own password", passwordPage(password)],
    ["own password that is saved", passwordPage({ ...password, isSaved: true })],
    ["first password", passwordPage({ ...password, hasPassword: false })],
    [
      "password that is not allowed",
      passwordPage({ ...password, ...{ hasPassword: false, isAllowed: false } }),
    ],
    ["wrong own password", passwordPage({ ...password, wrong: "current" })],
    ["wrong new password", passwordPage({ ...password, wrong: "same" })],
    ["own e-mail", ownEmailPage(email)],
    ["own e-mail that waits", ownEmailPage({ ...waiting, isSaved: true })],
    ["wrong own e-mail", ownEmailPage({ ...email, wrong: "invalid" })],
    ["wrong code of an own e-mail", ownEmailPage({ ...waiting, wrong: "code" })],
    ["problem of too many mails", ownEmailPage({ ...email, wrong: "tooOften" })],
    ["own phone", ownPhonePage(phone)],
    ["own phone that waits", ownPhonePage({ ...number, done: "saved" })],
    ["own phone that is removed", ownPhonePage({ ...phone, done: "removed" })],
    ["wrong own phone", ownPhonePage({ ...phone, wrong: "invalid" })],
    ["wrong code of an own phone", ownPhonePage({ ...number, wrong: "code" })],
    ["problem of too many SMS", ownPhonePage({ ...number, wrong: "tooMany" })],
  ] as const;
}

function overviewWith(given: string, erasedMs: number | undefined) {
  const [displayName, secret, userName] = [given, given, given];
  const [email, organization] = [given, given];
  return {
    ...{ displayName, secret, userName, email, organization, erasedMs },
    isEmailVerified: false,
  } as const;
}

function happenedWith(network: string) {
  const timeMs = 1_800_000_000_000;
  return activities.map((what, i) => ({ what, timeMs, ...(i % 2 === 0 ? { network } : {}) }));
}

function passkeysWith(given: string) {
  const passkey = { credentialId: given, name: given, addedMs: 1_800_000_000_000 };
  return {
    ...{ displayName: given, secret: given, isOnly: false },
    ...{ nameCharactersMax: 200, passkeysMax: 50 },
    passkeys: [
      { ...passkey, usedMs: 1_800_000_000_000 },
      { ...passkey, credentialId: "another", name: "" },
    ],
  };
}

function sessionsWith(given: string) {
  const [displayName, secret, ownId] = [given, given, given];
  const application = { name: given };
  const session = { sessionId: "another", application, begunMs: 1_800_000_000_000 };
  return {
    ...{ displayName, secret, ownId },
    sessions: [
      { ...session, sessionId: ownId, factors: ["passkey"] },
      { ...session, factors: ["password", "otp"] },
      { ...session, factors: ["password", "recovery"] },
      { ...session, application: undefined, factors: ["password"] },
    ],
    consents: [
      { clientId: given, application: given },
      { clientId: given, application: undefined },
    ],
  } as const;
}

export function placeIn(language: Language, base = ""): PageContext {
  return { language, base, assetPath: (name) => `assets/v/${name}` };
}

export function documentIn(language: Language, page: (frame: Frame) => Page, base?: string) {
  return documentOf(page, placeIn(language, base));
}

/** A page of nothing but what is given, to see what surrounds it. */
export const emptyPage = (title: string) => (): Page => ({ title, content: html`` });
