import type { WrongPassword } from "../../domain/user/credential/password.ts";
import { type Html, html } from "../../text/html.ts";
import { aboutError, errorOf, hidden, marked, owner } from "./field.ts";
import { form, type LoginTarget, leadsTo, smallForm } from "./login.ts";
import type { Frame, Page } from "./page.ts";
import { problemAttributes } from "./passkey.ts";
import { newPasswordField, type PasswordRule } from "./password-field.ts";
import { back } from "./register.ts";

/** By what somebody may log in who registers, and under which name. */
export interface RegisterWays extends PasswordRule {
  readonly userName: string;
  /** Whether another user name than the address has to be chosen. */
  readonly asksUserName: boolean;
  readonly allowPassword: boolean;
  readonly allowPasskeys: boolean;
  readonly nameCharactersMax: number;
}

/** What is wrong with what was chosen, for example a name that is the address of another. */
export interface WrongWay {
  readonly userName?: "invalid" | "address" | "taken";
  readonly password?: WrongPassword;
}

/** Lets somebody choose a password or a passkey, whose address is proven. */
export function registerWayPage(target: LoginTarget, ways: RegisterWays, wrong: WrongWay) {
  return (frame: Frame): Page => {
    const { way } = frame.texts.login.register;
    const { allowPassword, allowPasskeys } = ways;
    return {
      title: way.title,
      isProblem: Object.keys(wrong).length > 0,
      scripts: [
        ...(allowPassword ? (["password.js"] as const) : []),
        ...(allowPasskeys ? (["login.js"] as const) : []),
      ],
      content: html`${leadsTo(target, frame)}
<p>${way.ask}</p>
${allowPassword ? passwordForm(target, { ways, wrong }, frame) : undefined}
${allowPasskeys ? passkeyForm(target, { ways, wrong }, frame) : undefined}
${back(target, frame)}`,
    };
  };
}

interface Asked {
  readonly ways: RegisterWays;
  readonly wrong: WrongWay;
}

function passwordForm(target: LoginTarget, asked: Asked, frame: Frame): Html {
  const { login, password } = frame.texts;
  return html`${form("register-password", target, frame)}
${nameField(asked, frame)}
${newPasswordField(asked.ways, password.label, asked.wrong.password, frame.texts)}
<button type="submit">${login.register.way.submit}</button>
</form>`;
}

/** `login.js` shows it where the browser can. */
function passkeyForm({ uid }: LoginTarget, asked: Asked, { base, ...frame }: Frame): Html {
  const { allowPassword, userName } = asked.ways;
  const { way } = frame.texts.login.register;
  const name = allowPassword
    ? hidden({ userName })
    : html`${nameField(asked, { base, ...frame })}\n`;
  const missing = html`<noscript><p class="error">${way.needsScript}</p></noscript>\n`;
  return html`${allowPassword ? undefined : missing}<form id="passkey-offer" method="post" hidden
 action="${base}login/${uid}">
${hidden({ step: "register-passkey" })}${name}<button type="submit"${
    allowPassword ? html` class="quiet"` : undefined
  }>${way.passkey}</button>
</form>`;
}

function nameField({ ways, wrong }: Asked, { texts }: Frame): Html {
  const { userName, asksUserName, nameCharactersMax } = ways;
  const errors = {
    invalid: texts.owner.invalidName(nameCharactersMax),
    address: texts.login.register.way.address,
    taken: texts.owner.taken,
  };
  const error = wrong.userName && errors[wrong.userName];
  return html`<label for="username">${texts.owner.userName}</label>
${errorOf("username", error)}<input id="username" name="userName" type="text" required
 value="${userName}"${asksUserName ? undefined : html` readonly`} dir="auto"
 maxlength="${nameCharactersMax}" autocomplete="username" autocapitalize="none"
 autocorrect="off" spellcheck="false"${aboutError("username", error)}>`;
}

/** What a browser creates a passkey from. */
interface AskedPasskey {
  /** PublicKeyCredentialCreationOptionsJSON, as JSON. */
  readonly options: string;
  readonly userName: string;
  /** Whether one was created that is not accepted. */
  readonly isWrong: boolean;
}

/** Has a browser create a passkey: `passkey-register.js` does it once the button is pressed. */
export function registerPasskeyPage(target: LoginTarget, asked: AskedPasskey) {
  return (frame: Frame): Page => {
    const { passkey, login } = frame.texts;
    const { options, userName, isWrong } = asked;
    const { needsScript, unsupported, other } = login.register.way;
    const { address } = login.passkey.problems;
    const problems = { ...passkey.problems, address, unsupported };
    return {
      title: passkey.title,
      isProblem: isWrong,
      scripts: ["webauthn.js", "passkey-form.js", "passkey-register.js"],
      content: html`${leadsTo(target, frame)}
${owner(marked(userName))}
<p>${passkey.explanation}</p>
<noscript><p class="error">${needsScript}</p></noscript>
<form id="passkey-register" action="${frame.base}login/${target.uid}" method="post" hidden
 data-options="${options}"${problemAttributes(problems)}>
${hidden({ step: "register-created", userName })}
${hidden({ id: "", clientDataJSON: "", attestationObject: "", transports: "" })}
<p class="error" id="passkey-error" tabindex="-1"${isWrong ? undefined : html` hidden`}
 role="alert">${isWrong ? passkey.problems.invalid : undefined}</p>
<p class="status" id="passkey-status" role="status" data-waiting="${passkey.waiting}"></p>
<button id="passkey-create" type="submit">${passkey.submit}</button>
</form>
${smallForm({ step: "register-way" }, other, target, frame)}
${back(target, frame)}`,
    };
  };
}
