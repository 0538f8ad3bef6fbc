import type { WrongPassword } from "../../domain/user/credential/password.ts";
import { type Html, html } from "../../text/html.ts";
import type { Texts } from "../texts.ts";
import { aboutError, attributesOf, errorOf } from "./field.ts";

/** A password that somebody is asked for. */
export interface PasswordField {
  readonly id: string;
  readonly label: string;
  readonly autocomplete: "current-password" | "new-password";
  readonly error: string | undefined;
  /** What it has to be like. */
  readonly hint?: string;
  /** What stands beside the label, and is reached behind the field. */
  readonly beside?: Html;
  readonly isFocused?: boolean;
}

/** Asks for a password, which `password.js` shows on demand. */
export function passwordField(
  { id, label, autocomplete, error, hint, beside, isFocused = false }: PasswordField,
  { show }: Texts["password"],
): Html {
  const told = hint && html`<p class="hint" id="${id}-hint">${hint}</p>\n`;
  const about = hint === undefined ? aboutError(id, error) : html` ${attributesOf(id, error)}`;
  const focused = isFocused && error === undefined ? html` autofocus` : undefined;
  return html`<div class="field">
<label for="${id}">${label}</label>
${told}${errorOf(id, error)}<div class="secret">
<input id="${id}" name="${id}" type="password" required dir="auto"
 autocomplete="${autocomplete}" autocapitalize="none" autocorrect="off"
 spellcheck="false"${about}${focused}>
<button class="reveal" id="show-${id}" type="button" aria-controls="${id}"
 aria-pressed="false" aria-label="${show}" hidden>${eye}</button>
</div>
${beside}</div>`;
}

const eye = html`<svg viewBox="0 0 24 24" width="24" height="24" fill="none"
 stroke="currentColor" stroke-width="1.75" aria-hidden="true">
<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z"/>
<circle cx="12" cy="12" r="3"/><path class="struck" d="M4 4l16 16"/>
</svg>`;

/** How long a password is. */
export interface PasswordRule {
  readonly passwordCharactersMin: number;
  readonly passwordCharactersMax: number;
}

/** Why a new password is not taken. */
export type WrongChange = WrongPassword | "same";

/**
 * Asks for a password that somebody chooses, and says why the one before is not taken;
 * `password.js` says how long it is.
 */
export function newPasswordField(
  { passwordCharactersMin: min, passwordCharactersMax: max }: PasswordRule,
  label: string,
  wrong: WrongChange | undefined,
  { password, login }: Texts,
): Html {
  const hint = password.rule(min, max);
  const { common } = password;
  const error =
    wrong && { length: password.wrong(min, max), common, same: login.change.same }[wrong];
  const field = { id: "password", label, autocomplete: "new-password", error, hint } as const;
  return html`${passwordField(field, password)}
<p class="status" id="password-status" aria-live="polite" data-min="${min}" data-max="${max}"
 data-short="${password.tooShort(min)}" data-long="${password.tooLong(max)}"
 data-right="${password.longEnough}"></p>`;
}

/** The user name of the account that the password is for: password managers keep both. */
export function ownName(userName: string, { owner }: Texts): Html {
  return html`<label for="username">${owner.userName}</label>
<input id="username" type="text" value="${userName}" readonly dir="auto"
 autocomplete="username">`;
}
