import { type Html, html } from "../../../text/html.ts";
import { languages, nameFieldsIn } from "../../../text/language.ts";
import { languageNames } from "../../../text/language-names.ts";
import type { AccountTexts, OwnGender } from "../../account-texts.ts";
import { aboutError, errorOf, lineField, nameKinds } from "../field.ts";
import type { Frame } from "../page.ts";
import { doneText, type OfPerson, partForm, partPage, wrongText } from "./part.ts";

/** What people say of themselves. */
export interface OwnProfile {
  readonly firstName: string;
  readonly lastName: string;
  readonly nickName: string;
  readonly displayName: string;
  /** A BCP 47 tag, or empty. */
  readonly preferredLanguage: string;
  readonly gender: OwnGender;
}

/** What a person has typed, and what is wrong with it. */
export interface ShownProfile extends OfPerson {
  readonly profile: OwnProfile;
  readonly wrong?: readonly (keyof OwnProfile)[];
  readonly isTooOften?: boolean;
  readonly isSaved?: boolean;
  /** The most characters of a name. */
  readonly nameCharactersMax: number;
}

/** Lets a person change its names, language and gender. */
export function profilePage(shown: ShownProfile) {
  const { profile, wrong = [], isTooOften = false, isSaved = false, ...person } = shown;
  const isProblem = wrong.length > 0 || isTooOften;
  return partPage("profile", { ...person, isProblem }, (frame) => {
    const { profile: texts, tooOften } = frame.texts.account;
    const { preferredLanguage, gender } = profile;
    const { owner } = frame.texts;
    const lineNames = [...nameFieldsIn(frame.language), ...otherNames];
    const labels = { ...owner, ...texts };
    const line = (name: LineName) =>
      lineField({
        ...{ name, label: labels[name], value: profile[name], ...lines[name] },
        ...(name === "displayName" ? { hint: texts.displayNameHint } : {}),
        ...{ charactersMax: person.nameCharactersMax, error: undefined },
        ...(wrong.includes(name) ? { error: errorOfLine(name, person, frame) } : {}),
      });
    const languageError = wrong.includes("preferredLanguage") ? texts.invalidLanguage : undefined;
    const content = html`${lineNames.map((name) => html`${line(name)}\n`)}${select({
      ...{ name: "preferredLanguage", label: texts.language, chosen: preferredLanguage },
      ...{ options: languageOptions(preferredLanguage, texts), error: languageError },
    })}
${select({
  ...{ name: "gender", label: texts.gender, chosen: gender, error: undefined },
  options: Object.entries(texts.genders).map(([value, text]) => ({ value, text })),
})}
`;
    const form = { part: "profile", fields: { step: "save" }, content, submit: texts.submit };
    return html`${doneText(texts.saved, isSaved)}${wrongText(isTooOften ? tooOften : undefined)}<p>
${texts.about}</p>
${partForm({ ...form, part: "profile" }, person, frame)}`;
  });
}

const lines = {
  firstName: { autocomplete: nameKinds.firstName },
  lastName: { autocomplete: nameKinds.lastName },
  nickName: { autocomplete: "nickname", isOptional: true },
  displayName: { autocomplete: "name", isOptional: true },
} as const;

type LineName = keyof typeof lines;

const otherNames = ["nickName", "displayName"] as const;

function errorOfLine(
  name: LineName,
  { nameCharactersMax }: Pick<ShownProfile, "nameCharactersMax">,
  { texts: { account, owner } }: Frame,
): string {
  return "isOptional" in lines[name]
    ? account.profile.invalidLine(nameCharactersMax)
    : owner.invalidName(nameCharactersMax);
}

interface Option {
  readonly value: string;
  readonly text: string;
  /** The language of the text, where it is another than that of the page. */
  readonly language?: string;
}

/** The languages of the service, and the one that is set, which may be another. */
function languageOptions(chosen: string, texts: AccountTexts["profile"]): readonly Option[] {
  const known = languages.map((value) => {
    return { value, text: languageNames[value], language: value };
  });
  const others = [chosen].filter((tag) => tag !== "" && known.every(({ value }) => value !== tag));
  const other = others.map((tag) => ({ value: tag, text: tag }));
  return [{ value: "", text: texts.noLanguage }, ...known, ...other];
}

interface Select {
  readonly name: string;
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly Option[];
  readonly error: string | undefined;
}

/** Asks for one of several. */
function select({ name, label, chosen, options, error }: Select): Html {
  const rows = options.map(({ value, text, language }) => {
    const lang = language && html` lang="${language}"`;
    const isChosen = value === chosen ? html` selected` : undefined;
    return html`<option value="${value}"${lang}${isChosen}>${text}</option>\n`;
  });
  const about = aboutError(name, error);
  return html`<label for="${name}">${label}</label>
${errorOf(name, error)}<select id="${name}" name="${name}" autocomplete="off"${about}>
${rows}</select>`;
}
