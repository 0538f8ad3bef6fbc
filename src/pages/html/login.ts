import { standIns } from "../../domain/user/state/factor.ts";
import { type Html, html } from "../../text/html.ts";
import { attributesOf, errorOf, hidden, marked, owner } from "./field.ts";
import { homeLink, notice } from "./notice.ts";
import { logoutAction } from "./onward.ts";
import type { Frame, Page } from "./page.ts";
import { newPasswordField, type WrongChange } from "./password-field.ts";

/** Where a login leads. */
export interface LoginTarget {
  /** What the address of its pages ends with. */
  readonly uid: string;
  /** The name of an application; undefined for the account page. */
  readonly application: string | undefined;
  readonly organization: string;
  /** Whether the application also asks for access while nobody is there; left out, it does not. */
  readonly isAway?: boolean;
  /** What the first page offers; left out, all but to create an account. */
  readonly ways?: LoginWays;
}

/** The ways in which people may log in, reset a password, and create an account. */
export interface LoginWays {
  readonly password: boolean;
  readonly passkey: boolean;
  readonly reset: boolean;
  readonly register: boolean;
}

/** A provider by which people may log in. */
export interface OfferedProvider {
  readonly id: string;
  readonly name: string;
  readonly isGoogle: boolean;
}

/** The ways where nothing is said of them. */
export const allWays: LoginWays = { password: true, passkey: true, reset: true, register: false };

/** The form of an answer to a question for a passkey, which `passkey-send.js` fills in. */
export const assertion = {
  ...{ step: "assertion", userName: "", id: "" },
  ...{ clientDataJSON: "", authenticatorData: "", signature: "", userHandle: "" },
} as const;

/** Why a code is not taken that was given to log in. */
export type WrongCode = "wrong" | "tooMany" | "tooManyInDay";

/** What is said of it; `wrong` is said of one that is not the right one. */
export function wrongCode(
  { wrong }: { readonly wrong: string },
  what: WrongCode | undefined,
  { texts }: Frame,
): string | undefined {
  const { tooMany, otp } = texts.login;
  return what && { wrong, tooMany, tooManyInDay: otp.tooManyInDay }[what];
}

/** Asks for the code that an authenticator app shows. */
export function otpPage(target: LoginTarget, { wrong }: { readonly wrong?: WrongCode }) {
  return (frame: Frame): Page => {
    const { login } = frame.texts;
    const { otp, submit } = login;
    const error = wrongCode(otp, wrong, frame);
    return {
      title: otp.title,
      isProblem: wrong !== undefined,
      content: html`${leadsTo(target, frame)}
<p>${otp.ask}</p>
${form("otp", target, frame)}
${otpField(frame, error, true)}
<button type="submit">${submit}</button>
</form>
${standIns.map((step) => linkForm({ step }, login[step].offer, target, frame))}
${cancel(target, frame)}`,
    };
  };
}

/** Takes a code that an authenticator app shows. */
export function otpField({ texts }: Frame, error: string | undefined, isFocused = false): Html {
  const { otp } = texts.login;
  return html`<label for="code">${otp.label}</label>
<p class="hint" id="code-hint">${otp.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="code" type="text" required dir="ltr"
 inputmode="numeric" autocomplete="one-time-code" maxlength="16"
 ${attributesOf("code", error, isFocused)}>`;
}

/** Lets a person choose another password, where that was asked for. */
export function changePage(
  target: LoginTarget,
  { min, max, wrong }: { readonly min: number; readonly max: number; readonly wrong?: WrongChange },
) {
  return (frame: Frame): Page => {
    const { change } = frame.texts.login;
    const rule = { passwordCharactersMin: min, passwordCharactersMax: max };
    return {
      title: change.title,
      isProblem: wrong !== undefined,
      scripts: ["password.js"],
      content: html`${leadsTo(target, frame)}
<p>${change.ask}</p>
${form("change", target, frame)}
${newPasswordField(rule, change.label, wrong, frame.texts)}
<button type="submit">${change.submit}</button>
</form>
${cancel(target, frame)}`,
    };
  };
}

/** Asks somebody who is logged in whether to go on so. */
export function proceedPage(
  target: LoginTarget,
  { displayName }: { readonly displayName: string },
) {
  return (frame: Frame): Page => {
    const { proceed } = frame.texts.login;
    return {
      title: proceed.title,
      content: html`${beginsHere(target, frame)}
${owner(marked(displayName))}
<p>${proceed.ask}</p>
${form("proceed", target, frame)}
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

/** The page that says so. For a login that is still open it has the other ways in, and back. */
export function loginNoticePage(what: LoginNotice, target?: LoginTarget) {
  return (frame: Frame): Page => {
    const { login } = frame.texts;
    const ways =
      target &&
      html`${[
        smallForm({ step: "other" }, login.external.other, target, frame),
        cancel(target, frame),
      ]}`;
    return { ...notice(login[what], ways ?? homeLink(frame)), isProblem: what !== "loggedOut" };
  };
}

/** Where the login leads, in words. */
export function leadsTo(target: LoginTarget, frame: Frame): Html {
  const { to, toAccount } = frame.texts.login;
  const { application, organization } = target;
  // The account page is the same for the people of every organization.
  if (application === undefined) return owner(html`${toAccount}`);
  return owner(to(marked(application), marked(organization)));
}

/** The same where a login begins, with what the application asks for that lasts. */
export function beginsHere(target: LoginTarget, frame: Frame): Html {
  const { away } = frame.texts.login.proceed;
  return html`${leadsTo(target, frame)}${target.isAway ? html`\n<p>${away}</p>` : undefined}`;
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

/** Makes a form of a login with nothing but a button. */
type ButtonForm = (
  fields: { readonly [name: string]: string },
  text: string,
  target: LoginTarget,
  frame: Frame,
) => Html;

const buttonForm =
  (kind: "quiet" | "link"): ButtonForm =>
  (fields, text, { uid }, { base }) =>
    html`<form class="${kind}-form" action="${base}login/${uid}" method="post">
${hidden(fields)}<button class="${kind}" type="submit">${text}</button>
</form>`;

/** A form with nothing but a button, for another way than the first. */
export const smallForm = buttonForm("quiet");

/** A form whose button looks like a link, for what is wanted less often. */
export const linkForm = buttonForm("link");

/** The way back to the application. */
export function cancel(target: LoginTarget, frame: Frame): Html {
  return linkForm({ step: "cancel" }, frame.texts.login.cancel, target, frame);
}
