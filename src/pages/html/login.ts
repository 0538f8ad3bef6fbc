import { type Html, html } from "../../text/html.ts";
import { attributesOf, errorOf, hidden, marked, owner } from "./field.ts";
import { homeLink, notice } from "./notice.ts";
import { logoutAction } from "./onward.ts";
import type { Frame, Page } from "./page.ts";
import { newPasswordField, passwordField } from "./password-field.ts";

/** Where a login leads. */
export interface LoginTarget {
  /** What the address of its pages ends with. */
  readonly uid: string;
  /** The name of an application; undefined for the account page. */
  readonly application: string | undefined;
  readonly organization: string;
}

/** What is wrong with a password, or a passkey, that was given to log in. */
export type WrongLogin = "wrong" | "tooMany" | "passkey";

/** What the first page of a login is shown with. */
export interface ShownLogin {
  readonly userName: string;
  /** By which browsers offer passkeys where the name is typed, as `Asked.options`. */
  readonly question: string;
  /** Whether somebody is logged in already, and has to show once more who it is. */
  readonly isAgain?: boolean;
  readonly wrong?: WrongLogin;
}

/** Asks who somebody is, and for the password. */
export function loginPage(
  target: LoginTarget,
  { userName, question, isAgain = false, wrong }: ShownLogin,
) {
  return (frame: Frame): Page => {
    const { login, password } = frame.texts;
    const error = wrong === "passkey" ? login.passkey.wrong : wrong && login[wrong];
    const field = { id: "password", label: password.label, error } as const;
    const isNamed = userName !== "";
    const focused = isNamed || error !== undefined ? undefined : html` autofocus`;
    return {
      title: login.title,
      isProblem: wrong !== undefined,
      scripts: ["webauthn.js", "passkey-send.js", "login.js", "password.js"],
      content: html`${leadsTo(target, frame)}
${isAgain ? html`<p>${login.again}</p>\n` : undefined}${form("password", target, frame)}
<label for="username">${login.userName}</label>
<input id="username" name="userName" type="text" required value="${userName}" dir="auto"
 autocomplete="username webauthn" autocapitalize="none" autocorrect="off" spellcheck="false"
 maxlength="320"${focused}>
${passwordField(
  {
    ...{ ...field, autocomplete: "current-password", isFocused: isNamed },
    beside: html`<button class="link" type="submit" form="forgotten-offer">
${login.forgotten.link}</button>
`,
  },
  password,
)}
<button class="main" type="submit">${login.submit}</button>
</form>${wrong === "wrong" ? html`\n<p class="help">${login.wrongHelp}</p>` : undefined}
${offers(target, { userName, question }, frame)}
${cancel(target, frame)}`,
    };
  };
}

/**
 * What there is besides the password. `login.js` shows the passkey where the browser can, and takes
 * along the name that is typed.
 */
function offers(
  { uid }: LoginTarget,
  { userName, question }: Pick<ShownLogin, "userName" | "question">,
  { base, texts: { login } }: Frame,
): Html {
  const action = `${base}login/${uid}`;
  return html`<form id="passkey-offer" action="${action}" method="post" hidden>
${hidden({ step: "passkey", userName: "" })}<p class="or"><span>${login.or}</span></p>
<button class="quiet" type="submit">${login.passkey.offer}</button>
</form>
<form id="forgotten-offer" action="${action}" method="post" hidden>
${hidden({ step: "forgotten", userName })}</form>
<form id="passkey-autofill" action="${action}" method="post" hidden data-options="${question}">
${hidden(assertion)}</form>`;
}

/** The form of an answer to a question for a passkey, which `passkey-send.js` fills in. */
export const assertion = {
  ...{ step: "assertion", userName: "", id: "" },
  ...{ clientDataJSON: "", authenticatorData: "", signature: "", userHandle: "" },
} as const;

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
<label for="code">${otp.label}</label>
<p class="hint" id="code-hint">${otp.hint}</p>
${errorOf("code", error)}<input class="code" id="code" name="code" type="text" required dir="ltr"
 inputmode="numeric" autocomplete="one-time-code" maxlength="16"
 ${attributesOf("code", error, true)}>
<button type="submit">${submit}</button>
</form>
${linkForm({ step: "recovery" }, recovery.offer, target, frame)}
${cancel(target, frame)}`,
    };
  };
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
export type LoginNotice = "loggedOut" | "unready" | "expired";

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

/** The same with nothing but a button, for another way than the first. */
export function smallForm(
  fields: { readonly [name: string]: string },
  text: string,
  target: LoginTarget,
  frame: Frame,
): Html {
  return buttonForm(fields, { text, kind: "quiet" }, target, frame);
}

/** The same with a button that looks like a link, for what is wanted less often. */
export function linkForm(
  fields: { readonly [name: string]: string },
  text: string,
  target: LoginTarget,
  frame: Frame,
): Html {
  return buttonForm(fields, { text, kind: "link" }, target, frame);
}

function buttonForm(
  fields: { readonly [name: string]: string },
  { text, kind }: { readonly text: string; readonly kind: "quiet" | "link" },
  { uid }: LoginTarget,
  { base }: Frame,
): Html {
  return html`<form class="${kind}-form" action="${base}login/${uid}" method="post">
${hidden(fields)}<button class="${kind}" type="submit">${text}</button>
</form>`;
}

/** The way back to the application. */
export function cancel(target: LoginTarget, frame: Frame): Html {
  return linkForm({ step: "cancel" }, frame.texts.login.cancel, target, frame);
}
