import { linksPage } from "../../src/pages/html/account/links.ts";
import type { OfPerson } from "../../src/pages/html/account/part.ts";
import type { Frame, Page } from "../../src/pages/html/page.ts";

/** The pages of somebody who is linked to accounts elsewhere. */
export function linkPages(
  given: string,
  whose: OfPerson,
): readonly (readonly [string, (frame: Frame) => Page])[] {
  const link = { idpId: given, externalUserId: given, displayName: given, provider: given };
  const only = { ...link, displayName: "", provider: undefined, isOnly: true };
  const shown = { ...whose, links: [{ ...link, isOnly: false }, only] };
  return [
    ["links", linksPage(shown)],
    ["links once one is removed", linksPage({ ...shown, done: "removed" })],
    ["no links", linksPage({ ...shown, links: [] })],
    ["problem of links removed too often", linksPage({ ...shown, problem: "tooOften" })],
  ];
}
