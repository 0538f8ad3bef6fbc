import { lineProblem } from "../../domain/name.ts";
import { linkToPage } from "../../domain/user/credential/code.ts";
import { accountCharacters } from "../../domain/user/human/human.ts";
import {
  addOwnPasskeyLink,
  isOnlyWayIn,
  removeOwnPasskey,
  renameOwnPasskey,
} from "../../domain/user/own/passkey.ts";
import type { Answer } from "../../pages/account.ts";
import { passkeysPage, type ShownPasskeys } from "../../pages/html/account/passkeys.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { decide, decideAs } from "../base/decide.ts";
import { findAccountPolicy } from "../base/policy.ts";
import { ownOf } from "./own-session.ts";
import { backTo, doneOf, type Own, type Part } from "./part.ts";

/** The part on which people add, name and remove passkeys. */
export const passkeys: Part = {
  isFresh: () => true,
  show: async (own) => {
    const done = doneOf(own, ["removed", "renamed"]);
    return await page(own, 200, done === undefined ? {} : { done });
  },
  take: {
    add,
    async remove(own) {
      const credentialId = own.visit.fields.of("passkey");
      const { allowPassword: mayUsePassword } = await findAccountPolicy(own.site, own.found);
      const removed = { ...ownOf(own), credentialId, mayUsePassword };
      const refused = await decideAs(own.site, own.found, (state, nowMs) =>
        removeOwnPasskey(state, removed, nowMs),
      );
      if (refused === undefined) return backTo("passkeys", "removed");
      return refused.reason === "LIMIT_REACHED" ? await tooOften(own) : backTo("passkeys");
    },
    async rename(own) {
      const { fields } = own.visit;
      const [credentialId, name] = [fields.of("passkey"), fields.of("name").trim()];
      const isFine = [...name].length <= accountCharacters.name && !lineProblem(name);
      if (!isFine) return await page(own, 400, { misnamed: credentialId });
      const renamed = { ...ownOf(own), credentialId, name };
      const refused = await decideAs(own.site, own.found, (state, nowMs) =>
        renameOwnPasskey(state, renamed, nowMs),
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
  const { passkeys = [], passwordHash } = found.state.human ?? {};
  const { allowPassword } = await findAccountPolicy(own.site, found);
  const held = { passkeys, ...(passwordHash ? { passwordHash } : {}) };
  const isOnly = isOnlyWayIn(held, allowPassword);
  const { name: nameCharactersMax } = accountCharacters;
  const shown = { ...person, passkeys, isOnly, nameCharactersMax };
  return { status, page: passkeysPage({ ...shown, ...told }) };
}

/** To the page behind a link of one's own, which is used up there. */
async function add(own: Own): Promise<Answer> {
  const { site, found, sessionId } = own;
  const { userId, state } = found;
  const [codeId, code] = [site.newId(), createClientSecret(site.random)];
  const added = { userId, sessionId, codeId, codeHash: hashSecret(code) };
  const isAdded = await decide(site, found, (s, nowMs) => addOwnPasskeyLink(s, added, nowMs));
  if (!isAdded) return await page(own, 429, { problem: "full" });
  const { organization } = state;
  const ids = { publicUrl: site.publicUrl(), userId, organization, codeId, code };
  return { location: linkToPage("passwordless/init", ids) };
}
