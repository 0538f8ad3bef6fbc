import { lineProblem } from "../../domain/name.ts";
import { linkToPage } from "../../domain/user/credential/code.ts";
import { accountCharacters } from "../../domain/user/human/human.ts";
import {
  addOwnPasskeyLink,
  isOnlyWayIn,
  removeOwnPasskey,
  renameOwnPasskey,
} from "../../domain/user/own/passkey.ts";
import { userLimits } from "../../domain/user/state/user.ts";
import type { Answer } from "../../pages/account.ts";
import { passkeysPage, type ShownPasskeys } from "../../pages/html/account/passkeys.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { backTo, decideOwn, doneIn, type Own, type Part } from "./part.ts";
import { findWays, heldBy } from "./ways.ts";

/** The part on which people add, name and remove passkeys. */
export const passkeys: Part = {
  isFresh: () => true,
  show: (own) => page(own, 200, doneIn(own, ["removed", "renamed"])),
  take: {
    add,
    async remove(own) {
      const credentialId = own.visit.fields.of("passkey");
      const ways = await findWays(own);
      const refused = await decideOwn(own, (state, self, nowMs) =>
        removeOwnPasskey(state, { ...self, credentialId, ways }, nowMs),
      );
      if (refused === undefined) return backTo("passkeys", "removed");
      return refused.reason === "LIMIT_REACHED" ? await tooOften(own) : backTo("passkeys");
    },
    async rename(own) {
      const { fields } = own.visit;
      const [credentialId, name] = [fields.of("passkey"), fields.of("name").trim()];
      const isFine = [...name].length <= accountCharacters.name && !lineProblem(name);
      if (!isFine) return await page(own, 400, { misnamed: credentialId });
      const refused = await decideOwn(own, (state, self, nowMs) =>
        renameOwnPasskey(state, { ...self, credentialId, name }, nowMs),
      );
      if (refused === undefined || refused.reason === "NOTHING_CHANGED") {
        return backTo("passkeys", "renamed");
      }
      return refused.reason === "LIMIT_REACHED" ? await tooOften(own) : backTo("passkeys");
    },
  },
};

function tooOften(own: Own): Promise<Answer> {
  return page(own, 429, { problem: "tooOften" });
}

async function page(
  own: Own,
  status: number,
  told: Pick<ShownPasskeys, "problem" | "misnamed" | "done">,
): Promise<Answer> {
  const { found, ...person } = own;
  const held = heldBy(found);
  const { passkeys } = held;
  const isOnly = isOnlyWayIn(held, await findWays(own));
  const { name: nameCharactersMax } = accountCharacters;
  const { passkeys: passkeysMax } = userLimits;
  const shown = { ...person, passkeys, isOnly, nameCharactersMax, passkeysMax };
  return { status, page: passkeysPage({ ...shown, ...told }) };
}

/** To the page behind a link of one's own, which is used up there. */
async function add(own: Own): Promise<Answer> {
  const { site, found } = own;
  const [codeId, code] = [site.newId(), createClientSecret(site.random)];
  const refused = await decideOwn(own, (state, self, nowMs) =>
    addOwnPasskeyLink(state, { ...self, codeId, codeHash: hashSecret(code) }, nowMs),
  );
  if (refused !== undefined) {
    const isMost = (found.state.human?.passkeys.length ?? 0) >= userLimits.passkeys;
    return await page(own, 429, { problem: isMost ? "tooMany" : "full" });
  }
  const { userId, state } = found;
  const { organization } = state;
  const ids = { publicUrl: site.publicUrl(), userId, organization, codeId, code };
  return { location: linkToPage("passwordless/init", ids) };
}
