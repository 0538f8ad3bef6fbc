import { type Html, html } from "../../../text/html.ts";
import { aboutError, errorOf } from "../field.ts";
import type { Frame } from "../page.ts";
import { doneText, type OfPerson, partForm, partPage, row, timeIn, wrongText } from "./part.ts";

/** One passkey of a person. */
interface ShownPasskey {
  readonly credentialId: string;
  readonly name: string;
  /** Unix milliseconds. */
  readonly addedMs: number;
  readonly usedMs?: number;
}

/** The passkeys of a person. */
export interface ShownPasskeys extends OfPerson {
  readonly passkeys: readonly ShownPasskey[];
  /** Whether the person gets in by one of them, and by nothing else. */
  readonly isOnly: boolean;
  /** The most characters of a name. */
  readonly nameCharactersMax: number;
  /** The most passkeys of an account. */
  readonly passkeysMax: number;
  /** The passkey whose new name is none. */
  readonly misnamed?: string;
  /** Why no other can be added for now, or none removed or renamed. */
  readonly problem?: "full" | "tooMany" | "tooOften";
  /** What was just done. */
  readonly done?: "removed" | "renamed";
}

const part = "passkeys";

/** Lets a person add passkeys, name them, and remove those of devices that are lost. */
export function passkeysPage({ passkeys, problem, done, ...shown }: ShownPasskeys) {
  const isProblem = problem !== undefined || shown.misnamed !== undefined;
  const content = (frame: Frame) => {
    const { passkeys: texts, tooOften } = frame.texts.account;
    const tooMany = texts.tooMany(shown.passkeysMax);
    const wrong = problem && { full: texts.full, tooMany, tooOften }[problem];
    const add = { part, fields: { step: "add" }, submit: texts.add } as const;
    const rows = passkeys.map((one, i) => passkeyRow(one, { ...shown, i }, frame));
    const list = html`<ul class="rows">\n${rows}</ul>\n`;
    return html`${done && doneText(texts[done], true)}${wrongText(wrong)}<p>
${texts.about}</p>
${rows.length > 0 ? list : undefined}${
  shown.isOnly ? html`<p>${texts.only}</p>\n` : undefined
}${partForm(add, shown, frame)}`;
  };
  return partPage(part, { ...shown, isProblem }, content, ["time.js"]);
}

type InList = Omit<ShownPasskeys, "passkeys"> & { readonly i: number };

function passkeyRow(passkey: ShownPasskey, shown: InList, frame: Frame): Html {
  const { credentialId, name, addedMs, usedMs } = passkey;
  const { passkeys: texts } = frame.texts.account;
  const about = `passkey-${shown.i}`;
  const fields = { step: "remove", passkey: credentialId };
  const remove = { part, fields, submit: texts.remove, about, kind: "small" } as const;
  const used = usedMs === undefined ? undefined : html` ${texts.used(timeIn(frame, usedMs))}`;
  return row(
    html`<h2 id="${about}"><bdi>${name === "" ? texts.unnamed : name}</bdi></h2>`,
    [html`${texts.added(timeIn(frame, addedMs))}${used}`],
    html`<div class="actions">
${renaming(passkey, shown, frame)}
${shown.isOnly ? undefined : partForm(remove, shown, frame)}</div>
`,
  );
}

/** The form for another name, which opens where it is wanted. */
function renaming({ credentialId, name }: ShownPasskey, shown: InList, frame: Frame): Html {
  const { i, nameCharactersMax: max, misnamed } = shown;
  const { passkeys: texts, profile } = frame.texts.account;
  const isWrong = misnamed === credentialId;
  const error = isWrong ? profile.invalidLine(max) : undefined;
  const id = `name-${i}`;
  const content = html`<label for="${id}">${texts.name}</label>
${errorOf(id, error)}<input id="${id}" name="name" type="text" value="${name}" dir="auto"
 maxlength="${max}" autocomplete="off"${aboutError(id, error)}>
`;
  const fields = { step: "rename", passkey: credentialId };
  const form = { part, fields, content, submit: profile.submit, about: `passkey-${i}` } as const;
  const opened = isWrong ? html`<details open>` : html`<details>`;
  return html`${opened}
<summary aria-describedby="passkey-${i}">${texts.rename}</summary>
${partForm({ ...form, kind: "small" }, shown, frame)}
</details>`;
}
