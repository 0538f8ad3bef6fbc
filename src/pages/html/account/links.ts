import { type Html, html } from "../../../text/html.ts";
import type { Frame } from "../page.ts";
import { doneText, type OfPerson, partForm, partPage, row, wrongText } from "./part.ts";

/** An account elsewhere that a person is linked to. */
interface ShownLink {
  readonly idpId: string;
  readonly externalUserId: string;
  /** The name of the account there; it may be empty. */
  readonly displayName: string;
  /** The name of the provider; undefined where it is gone. */
  readonly provider: string | undefined;
  /** Whether the person gets in by nothing else. */
  readonly isOnly: boolean;
}

/** The accounts elsewhere that a person is linked to. */
export interface ShownLinks extends OfPerson {
  readonly links: readonly ShownLink[];
  /** Why none can be unlinked for now. */
  readonly problem?: "tooOften";
  /** What was just done. */
  readonly done?: "removed";
}

const part = "links";

/** Shows the accounts elsewhere that a person is linked to, and lets it unlink them. */
export function linksPage({ links, problem, done, ...shown }: ShownLinks) {
  const content = (frame: Frame) => {
    const { links: texts, tooOften } = frame.texts.account;
    const rows = links.map((one, i) => linkRow(one, { ...shown, i }, frame));
    const list = html`<ul class="rows">\n${rows}</ul>\n`;
    return html`${done && doneText(texts[done], true)}${wrongText(problem && tooOften)}<p>
${texts.about}</p>
${rows.length > 0 ? list : html`<p>${texts.none}</p>\n`}`;
  };
  return partPage(part, { ...shown, isProblem: problem !== undefined }, content);
}

function linkRow(
  { idpId, externalUserId, displayName, provider, isOnly }: ShownLink,
  shown: OfPerson & { readonly i: number },
  frame: Frame,
): Html {
  const { links: texts } = frame.texts.account;
  const about = `link-${shown.i}`;
  const fields = { step: "remove", provider: idpId, account: externalUserId };
  const remove = { part, fields, submit: texts.remove, about, kind: "small" } as const;
  const account = html`<bdi>${displayName === "" ? externalUserId : displayName}</bdi>`;
  return row(
    html`<h2 id="${about}"><bdi>${provider ?? texts.gone}</bdi></h2>`,
    [account, isOnly ? texts.only : undefined],
    isOnly ? undefined : partForm(remove, shown, frame),
  );
}
