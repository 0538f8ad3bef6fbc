import { type Html, html } from "../../text/html.ts";
import { aboutError, attributesOf, errorOf, hidden, marked, owner } from "./field.ts";
import { newPasswordField } from "./initialization.ts";
import { homeLink, notice } from "./notice.ts";
import { logoutAction } from "./onward.ts";
import type { Frame, Page } from "./page.ts";

/** Where a login leads. */
export interface LoginTarget {
  /** What the address of its pages ends with. */
  readonly uid: string;
  /** The name of an application; undefined for the account page. */
  readonly application: string | undefined;
  readonly organization: string;
  /** What the first page offers; left out, all. */
  readonly ways?: LoginWays;
}

/** The ways in which people may log in, and whether they may reset a password. */
export interface LoginWays {
  readonly password: boolean;
  readonly passkey: boolean;
  readonly reset: boolean;
}

const allWays: LoginWays = { password: true, passkey: true, reset: true };

/** What is wrong with a password, or a passkey, that was given to log in. */
export type WrongLogin = "wrong" | "tooMany" | "passkey";

/** Asks who somebody is, and for the password; where none is allowed, for a passkey. */
export function loginPage(
  target: LoginTarget,
  { userName, wrong }: { readonly userName: string; readonly wrong?: WrongLogin },
) {
  return (frame: Frame): Page => {
    const { login } = frame.texts;
    const { ways = allWays } = target;
    const error = wrong === "passkey" ? login.passkey.wrong : wrong && login[wrong];
    const forgotten = { step: "forgotten", userName };
    return {
      title: login.title,
      isProblem: wrong !== undefined,
      scripts: ["login.js"],
      content: html`${leadsTo(target, frame)}
${ways.password ? passwordForm(target, { userName, error }, frame) : undefined}${passkeyForm(
  target,
  { userName, error },
  frame,
)}${
  ways.reset ? html`${smallForm(forgotten, login.forgotten.link, target, frame)}\n` : undefined
}${cancel(target, frame)}`,
    };
  };
}

/** What was typed, and what is wrong with it. */
interface Typed {
  readonly userName: string;
  readonly error: string | undefined;
}

function passwordForm(target: LoginTarget, { userName, error }: Typed, frame: Frame): Html {
  const { login, password } = frame.texts;
  return html`${form("password", target, frame)}
<label for="username">${login.userName}</label>
<input id="username" name="userName" type="text" required value="${userName}" ${aboutName}>
<label for="password">${password.label}</label>
${errorOf("password", error)}<input id="password" name="password" type="password" required
 dir="auto" autocomplete="current-password"${aboutError("password", error)}>
<button type="submit">${login.submit}</button>
</form>
`;
}

const aboutName = html`dir="auto"
 autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false"
 maxlength="320"`;

/** Beside a password, an offer; without one the way, by which a name may be typed. */
function passkeyForm(target: LoginTarget, { userName, error }: Typed, frame: Frame) {
  const { ways = allWays } = target;
  if (!ways.passkey) return undefined;
  if (ways.password) return html`${passkeyOffer(target, frame)}\n`;
  const { login } = frame.texts;
  return html`${form("passkey", target, frame)}
<label for="username">${login.userName}</label>
${errorOf("username", error)}<input id="username" name="userName" type="text" value="${userName}" ${
    aboutName
  }${aboutError("username", error)}>
<button type="submit">${login.passkey.offer}</button>
</form>
`;
}

/** `login.js` shows it where the browser can, and takes along the name that is typed. */
function passkeyOffer({ uid }: LoginTarget, { base, texts }: Frame): Html {
  return html`<form id="passkey-offer" action="${base}login/${uid}" method="post" hidden>
${hidden({ step: "passkey", userName: "" })}<button class="quiet" type="submit">
${texts.login.passkey.offer}</button>
</form>`;
}

/** Why a code is not taken that was given to log in. */
export type WrongCode = "wrong" | "tooMany";

/** What is said of it; `wrong` is said of one that is not the right one. */
export function wrongCode(
  { wrong }: { readonly wrong: string },
  what: WrongCode | undefined,
  { texts }: Frame,
): string | undefined {
  return what && { wrong, tooMany: texts.login.tooMany }[what];
}

/** Asks for the code that an authenticator app shows. */
export function otpPage(target: LoginTarget, { wrong }: { readonly wrong?: WrongCode }) {
  return (frame: Frame): Page => {
    const { otp, recovery, submit } = frame.texts.login;
    const error = wrongCode(otp, wrong, frame);
    return {
      title: otp.title,
      isProblem: wrong !== undefined,
      content: html`${leadsTo(target, frame)}
<p>${otp.ask}</p>
${form("otp", target, frame)}
${otpField(frame, error)}
<button type="submit">${submit}</button>
</form>
${smallForm({ step: "recovery" }, recovery.offer, target, frame)}
${cancel(target, frame)}`,
    };
  };
}

/** Takes a code that an authenticator app shows. */
export function otpField({ texts }: Frame, error: string | undefined): Html {
  const { otp } = texts.login;
  return html`<label for="code">${otp.label}</label>
<p class="hint" id="code-hint">${otp.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="code" type="text" required dir="ltr"
 inputmode="numeric" autocomplete="one-time-code" maxlength="16" ${attributesOf("code", error)}>`;
}

/** Why a new password is not taken. */
export type WrongChange = "length" | "common" | "same";

/** Lets a person choose another password, where that was asked for. */
export function changePage(
  target: LoginTarget,
  { min, max, wrong }: { readonly min: number; readonly max: number; readonly wrong?: WrongChange },
) {
  return (frame: Frame): Page => {
    const { login, password } = frame.texts;
    const { change } = login;
    const errors = {
      length: password.wrong(min, max),
      common: password.common,
      same: change.same,
    };
    const rule = { passwordCharactersMin: min, passwordCharactersMax: max };
    const field = { ...rule, label: change.label, error: wrong && errors[wrong] };
    return {
      title: change.title,
      isProblem: wrong !== undefined,
      scripts: ["password.js"],
      content: html`${leadsTo(target, frame)}
<p>${change.ask}</p>
${form("change", target, frame)}
${newPasswordField(field, password)}
<button type="submit">${change.submit}</button>
</form>
${cancel(target, frame)}`,
    };
  };
}

/** Asks somebody who is logged in whether to go on so. */
export function proceedPage(
  target: LoginTarget,
  { displayName, isAway }: { readonly displayName: string; readonly isAway: boolean },
) {
  return (frame: Frame): Page => {
    const { proceed } = frame.texts.login;
    return {
      title: proceed.title,
      content: html`${leadsTo(target, frame)}
${owner(marked(displayName))}
<p>${proceed.ask}</p>
${isAway ? html`<p>${proceed.away}</p>\n` : undefined}${form("proceed", target, frame)}
<button type="submit">${proceed.submit}</button>
</form>
${smallForm({ step: "other" }, proceed.other, target, frame)}
${cancel(target, frame)}`,
    };
  };
}

/** Asks somebody whether to log out. */
export function logoutPage({ secret }: { readonly secret: string }) {
  return (frame: Frame): Page => {
    const { login } = frame.texts;
    const action = logoutAction(frame);
    return {
      title: login.logout.title,
      content: html`<p>${login.logout.ask}</p>
<form id="logout-form" action="${action}" method="post">
${hidden({ xsrf: secret, logout: "yes" })}<button type="submit">${login.logout.submit}</button>
</form>
<form action="${action}" method="post">
${hidden({ xsrf: secret })}<button class="quiet" type="submit">${login.logout.stay}</button>
</form>`,
    };
  };
}

/** What is left to say when somebody is logged out, or cannot be logged in. */
export type LoginNotice = "loggedOut" | "unready" | "expired" | "notAllowed";

export function loginNoticePage(what: LoginNotice) {
  return (frame: Frame): Page => ({
    ...notice(frame.texts.login[what], homeLink(frame)),
    isProblem: what !== "loggedOut",
  });
}

/** Where the login leads, in words. */
export function leadsTo(target: LoginTarget, frame: Frame): Html {
  const { to, toAccount } = frame.texts.login;
  const { application, organization } = target;
  // The account page is the same for the people of every organization.
  if (application === undefined) return owner(html`${toAccount}`);
  return owner(to(marked(application), marked(organization)));
}

/** What people call where the login leads. */
export function destinationName({ application }: LoginTarget, { texts }: Frame): string {
  return application ?? texts.account.title;
}

/** A form is sent to where it came from. */
export function form(step: string, { uid }: LoginTarget, { base }: Frame): Html {
  return html`<form id="login-form" action="${base}login/${uid}" method="post">
${hidden({ step })}`;
}

/** The same with nothing but a button, for what is wanted less often. */
export function smallForm(
  fields: { readonly [name: string]: string },
  text: string,
  { uid }: LoginTarget,
  { base }: Frame,
): Html {
  return html`<form action="${base}login/${uid}" method="post">
${hidden(fields)}<button class="quiet" type="submit">${text}</button>
</form>`;
}

/** The way back to the application. */
export function cancel(target: LoginTarget, frame: Frame): Html {
  return smallForm({ step: "cancel" }, frame.texts.login.cancel, target, frame);
}
