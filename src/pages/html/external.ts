import { type Html, html } from "../../text/html.ts";
import type { ExternalProblem } from "../external-texts.ts";
import {
  type AccountFields,
  type AccountRule,
  accountFields,
  type WrongAccount,
} from "./account-fields.ts";
import { hidden, marked, owner } from "./field.ts";
import { form, type LoginTarget, leadsTo, linkForm, type OfferedProvider } from "./login.ts";
import { homeLink, notice } from "./notice.ts";
import type { Frame, Page } from "./page.ts";

/** An account at a provider, by the names that people know. */
export interface AccountElsewhere {
  readonly account: string;
  readonly provider: string;
}

/** The buttons that lead to providers, below the fields of the first page. */
export function providerOffers(
  { uid }: LoginTarget,
  providers: readonly OfferedProvider[],
  { base, texts: { login } }: Frame,
): Html | undefined {
  if (providers.length === 0) return undefined;
  const { external } = login;
  return html`<div class="providers">
<p class="or"><span>${login.or}</span></p>
${providers.map(
  ({ id, name, isGoogle }) => html`<form action="${base}login/${uid}" method="post">
${hidden({ step: "external", provider: id })}<button class="quiet" type="submit">${
    isGoogle ? html`${googleLogo}${external.google}` : external.offer(html`<bdi>${name}</bdi>`)
  }</button>
</form>
`,
)}</div>
`;
}

/** The logo of Google in its own colours, as its terms ask for. */
const googleLogo = html`<svg aria-hidden="true" width="18" height="18" viewBox="0 0 48 48">
<path fill="#ea4335" d="M24 9.5c3.54 0 6.71 1.22 9.21 3.6l6.85-6.85C35.9 2.38 30.47 0 24 0
 14.62 0 6.51 5.38 2.56 13.22l7.98 6.19C12.43 13.72 17.74 9.5 24 9.5z"/>
<path fill="#4285f4" d="M46.98 24.55c0-1.57-.15-3.09-.38-4.55H24v9.02h12.94c-.58 2.96-2.26
 5.48-4.78 7.18l7.73 6c4.51-4.18 7.09-10.36 7.09-17.65z"/>
<path fill="#fbbc05" d="M10.53 28.59c-.48-1.45-.76-2.99-.76-4.59s.27-3.14.76-4.59l-7.98-6.19C.92
 16.46 0 20.12 0 24c0 3.88.92 7.54 2.56 10.78l7.97-6.19z"/>
<path fill="#34a853" d="M24 48c6.48 0 11.93-2.13 15.89-5.81l-7.73-6c-2.15 1.45-4.92 2.3-8.16
 2.3-6.26 0-11.57-4.22-13.47-9.91l-7.98 6.19C6.51 42.62 14.62 48 24 48z"/>
</svg> `;

/** What is said above the fields of the first page, where an account is linked behind the login. */
export function linkingTo(
  linking: AccountElsewhere | undefined,
  target: LoginTarget,
  frame: Frame,
): Html | undefined {
  if (linking === undefined) return undefined;
  const { external } = frame.texts.login;
  const said = external.linking(marked(linking.account), marked(linking.provider));
  return html`<p>${said}</p>
${leave(target, frame)}
`;
}

/** Lets somebody whom nobody here is linked to choose what comes of it. */
export function externalChoicePage(target: LoginTarget, elsewhere: AccountElsewhere) {
  return (frame: Frame): Page => {
    const { external, register } = frame.texts.login;
    const { choose } = external;
    const { uid } = target;
    return {
      title: choose.title,
      content: html`${leadsTo(target, frame)}
<p>${arrived(elsewhere, frame)}</p>
<p>${choose.ask}</p>
${form("external-link", target, frame)}
<button class="main" type="submit">${choose.link}</button>
</form>
<form action="${frame.base}login/${uid}" method="post">
${hidden({ step: "external-new" })}<button class="quiet" type="submit">${register.offer}</button>
</form>
${leave(target, frame)}`,
    };
  };
}

/** Asks for the rest of an account that somebody gets by a provider. */
export function externalAccountPage(
  target: LoginTarget,
  given: AccountFields,
  asked: {
    readonly elsewhere: AccountElsewhere;
    readonly rule: AccountRule;
    readonly wrong: WrongAccount;
  },
) {
  return (frame: Frame): Page => {
    const { external, register } = frame.texts.login;
    const { create } = external;
    return {
      title: create.title,
      isProblem: Object.keys(asked.wrong).length > 0,
      content: html`${leadsTo(target, frame)}
<p>${arrived(asked.elsewhere, frame)}</p>
<p>${create.ask}</p>
${form("external-account", target, frame)}
${accountFields(given, asked, frame)}<button type="submit">${register.way.submit}</button>
</form>
${leave(target, frame)}`,
    };
  };
}

/** Says why no login came of a provider, and leads to the other ways. */
export function externalProblemPage(target: LoginTarget, problem: ExternalProblem) {
  return (frame: Frame): Page => {
    const { external } = frame.texts.login;
    const other = linkForm({ step: "external-leave" }, external.other, target, frame);
    const { title, content } = notice(external.problems[problem], other);
    return { title, isProblem: true, content: html`${leadsTo(target, frame)}\n${content}` };
  };
}

/** What a provider says of somebody who tries it; or why it says nothing. */
type Tried =
  | { readonly identity: TriedIdentity }
  | { readonly problem: ExternalProblem; readonly detail: string };

interface TriedIdentity extends AccountFields {
  readonly externalUserId: string;
  readonly displayName: string;
  readonly isEmailVerified: boolean;
}

/** Says to the person who has walked a trial of a provider what came of it. */
export function externalTrialPage(provider: string, tried: Tried) {
  return (frame: Frame): Page => {
    const { texts } = frame;
    const { trial, problems } = texts.login.external;
    const nothing = html`<p>${trial.nothing}</p>\n${homeLink(frame)}`;
    if ("problem" in tried) {
      const { title, content } = notice(problems[tried.problem], nothing);
      const detail = html`<p><code dir="ltr">${tried.detail}</code></p>\n`;
      return {
        title,
        isProblem: true,
        content: html`${owner(marked(provider))}\n${detail}${content}`,
      };
    }
    const { externalUserId, displayName, userName, firstName, lastName, ...more } = tried.identity;
    const said = (value: string) => (value === "" ? "–" : marked(value));
    const email = more.isEmailVerified ? trial.verified : texts.owner.email;
    const rows = [
      ["ID", said(externalUserId)],
      [trial.name, said(displayName)],
      [texts.owner.userName, said(userName)],
      [texts.owner.firstName, said(firstName)],
      [texts.owner.lastName, said(lastName)],
      [email, said(more.email)],
    ] as const;
    const shown = rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
    return {
      title: trial.title,
      content: html`${owner(marked(provider))}\n<dl>${shown}</dl>\n${nothing}`,
    };
  };
}

function arrived({ account, provider }: AccountElsewhere, { texts }: Frame): Html {
  return texts.login.external.arrived(marked(account), marked(provider));
}

function leave(target: LoginTarget, frame: Frame): Html {
  const { external } = frame.texts.login;
  return linkForm({ step: "external-leave" }, external.leave, target, frame);
}
