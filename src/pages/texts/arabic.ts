import { pluralIn } from "../../text/language.ts";

/** So many characters in Arabic, in the case that follows a preposition. */
export function characters(count: number): string {
  return pluralIn("ar", count, {
    one: "حرف واحد",
    two: "حرفين",
    few: `${count} أحرف`,
    many: `${count} حرفًا`,
    other: `${count} حرف`,
  });
}

/** So many recovery codes that are left, as a sentence. */
export function codesLeft(count: number): string {
  return pluralIn("ar", count, {
    zero: "لم تبقَ لديك رموز استرداد.",
    one: "بقي لديك رمز استرداد واحد.",
    two: "بقي لديك رمزا استرداد.",
    few: `بقيت لديك ${count} رموز استرداد.`,
    other: `بقي لديك ${count} رمز استرداد.`,
  });
}
