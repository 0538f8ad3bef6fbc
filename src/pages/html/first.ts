import { type Html, html } from "../../text/html.ts";
import { type AccountElsewhere, linkingTo, providerOffers } from "./external.ts";
import { aboutError, errorOf, hidden } from "./field.ts";
import {
  allWays,
  assertion,
  beginsHere,
  cancel,
  form,
  type LoginTarget,
  linkForm,
  type OfferedProvider,
} from "./login.ts";
import type { Frame, Page, Script } from "./page.ts";
import { passwordField } from "./password-field.ts";

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
  /** Left out, none. */
  readonly providers?: readonly OfferedProvider[];
  /** The account elsewhere that is linked behind the login. */
  readonly linking?: AccountElsewhere;
}

/** Asks who somebody is, and for the password; where none is allowed, for a passkey. */
export function loginPage(target: LoginTarget, { isAgain = false, ...shown }: ShownLogin) {
  return (frame: Frame): Page => {
    const { login } = frame.texts;
    const { ways = allWays } = target;
    const { wrong } = shown;
    const error = wrong === "passkey" ? login.passkey.wrong : wrong && login[wrong];
    const typed = { ...shown, error };
    const byPassword: readonly Script[] = ways.password ? ["password.js"] : [];
    const byPasskey: readonly Script[] = ways.passkey ? ["webauthn.js", "passkey-send.js"] : [];
    const asked = ways.password ? passwordForm : passkeyForm;
    return {
      title: login.title,
      isProblem: wrong !== undefined,
      scripts: [...byPasskey, "login.js", ...byPassword],
      content: html`${beginsHere(target, frame)}
${isAgain ? html`<p>${login.again}</p>\n` : undefined}${[
  linkingTo(shown.linking, target, frame),
  asked(target, typed, frame),
  providerOffers(target, shown.providers ?? [], frame),
  offers(target, shown, frame),
  ways.register ? registerOffer(target, frame) : undefined,
]}${cancel(target, frame)}`,
    };
  };
}

/** What was typed, and what is wrong with it. */
interface Typed extends Omit<ShownLogin, "isAgain"> {
  readonly error: string | undefined;
}

function passwordForm(target: LoginTarget, typed: Typed, frame: Frame): Html {
  const { userName, error, wrong, linking } = typed;
  const { login, password } = frame.texts;
  const { ways = allWays } = target;
  const isNamed = userName !== "";
  const link = html`<button class="link" type="submit" form="forgotten-offer">
${login.forgotten.link}</button>
`;
  const field = {
    ...{ id: "password", label: password.label, error, isFocused: isNamed && !linking },
    ...({ autocomplete: "current-password" } as const),
    ...(ways.reset ? { beside: link } : {}),
  };
  // What an account is linked to has to be heard first.
  const focused = isNamed || linking || error !== undefined ? undefined : html` autofocus`;
  return html`${form("password", target, frame)}
<label for="username">${login.userName}</label>
<input id="username" name="userName" type="text" required value="${userName}"
 ${aboutName(target)}${focused}>
${passwordField(field, password)}
<button class="main" type="submit">${login.submit}</button>
</form>
${wrong === "wrong" ? html`<p class="help">${login.wrongHelp}</p>\n` : undefined}`;
}

/** The way where no password is allowed, by which a name may be typed. */
function passkeyForm(target: LoginTarget, { userName, error }: Typed, frame: Frame): Html {
  const { login } = frame.texts;
  return html`${form("passkey", target, frame)}
<label for="username">${login.userName}</label>
${errorOf("username", error)}<input id="username" name="userName" type="text" value="${userName}"
 ${aboutName(target)}${aboutError("username", error)}>
<button type="submit">${login.passkey.offer}</button>
</form>
`;
}

/** What a field for a name says of itself; browsers offer passkeys in it where they are allowed. */
function aboutName({ ways = allWays }: LoginTarget): Html {
  return html`dir="auto"
 autocomplete="${ways.passkey ? "username webauthn" : "username"}" autocapitalize="none"
 autocorrect="off" spellcheck="false" maxlength="320"`;
}

/**
 * What there is besides. `login.js` shows the passkey where the browser can, and takes along the
 * name that is typed.
 */
function offers(
  { uid, ways = allWays }: LoginTarget,
  { userName, question }: Pick<ShownLogin, "userName" | "question">,
  { base, texts: { login } }: Frame,
): Html {
  const action = `${base}login/${uid}`;
  const passkey = html`<form id="passkey-offer" action="${action}" method="post" hidden>
${hidden({ step: "passkey", userName: "" })}<p class="or"><span>${login.or}</span></p>
<button class="quiet" type="submit">${login.passkey.offer}</button>
</form>
`;
  const forgotten = html`<form id="forgotten-offer" action="${action}" method="post" hidden>
${hidden({ step: "forgotten", userName })}</form>
`;
  const autofill = html`<form id="passkey-autofill" action="${action}" method="post" hidden
 data-options="${question}">
${hidden(assertion)}</form>
`;
  const isOffered = ways.password && ways.passkey;
  return html`${isOffered ? passkey : undefined}${
    ways.password && ways.reset ? forgotten : undefined
  }${ways.passkey ? autofill : undefined}`;
}

function registerOffer(target: LoginTarget, frame: Frame): Html {
  const { register } = frame.texts.login;
  return html`${linkForm({ step: "register" }, register.offer, target, frame)}\n`;
}
