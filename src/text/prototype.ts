import prototypes from "unhomoglyph/data.json" with { type: "json" };

const table: { readonly [character: string]: string } = prototypes;

/**
 * The text with each character outside ASCII replaced by its prototype: what it may be taken for by
 * sight, as Unicode has it in `confusables.txt` (UTS 39, 4; of Unicode 13, from the package
 * `unhomoglyph`). ASCII stays itself, so `user1` and `userl` stay apart.
 */
export function toPrototypes(text: string): string {
  return text.replaceAll(/[^\p{ASCII}]/gu, (character) => table[character] ?? character);
}
