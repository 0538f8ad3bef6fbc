import { html } from "../../../text/html.ts";
import { type OfPerson, partForm, partPage, timeIn, wrongText } from "./part.ts";

/** The passkeys of a person. */
export interface ShownPasskeys extends OfPerson {
  readonly passkeys: readonly {
    readonly credentialId: string;
    readonly name: string;
    /** Unix milliseconds. */
    readonly addedMs: number;
    readonly usedMs?: number;
  }[];
  /** Whether the person gets in by one of them, and by nothing else. */
  readonly isOnly: boolean;
  /** Why no other can be added for now, or none removed. */
  readonly problem?: "full" | "tooOften";
}

const part = "passkeys";

/** Lets a person add passkeys, and remove those of devices that are lost. */
export function passkeysPage({ passkeys, isOnly, problem, ...person }: ShownPasskeys) {
  return partPage(part, { ...person, isProblem: problem !== undefined }, (frame) => {
    const { passkeys: texts, tooOften } = frame.texts.account;
    const wrong = problem && { full: texts.full, tooOften }[problem];
    const add = { part, fields: { step: "add" }, submit: texts.add } as const;
    const rows = passkeys.map(({ credentialId, name, addedMs, usedMs }, i) => {
      const fields = { step: "remove", passkey: credentialId };
      const about = `passkey-${i}`;
      const remove = { part, fields, submit: texts.remove, about, isQuiet: true } as const;
      const used = usedMs === undefined ? undefined : html` ${texts.used(timeIn(frame, usedMs))}`;
      return html`<article>
<h2 id="passkey-${i}"><bdi>${name === "" ? texts.unnamed : name}</bdi></h2>
<p>${texts.added(timeIn(frame, addedMs))}${used}</p>
${isOnly ? undefined : partForm(remove, person, frame)}
</article>
`;
    });
    return html`${wrongText(wrong)}<p>
${texts.about}</p>
${rows}${isOnly ? html`<p>${texts.only}</p>\n` : undefined}${partForm(add, person, frame)}`;
  });
}
