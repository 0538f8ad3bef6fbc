import { linkToPage } from "../../domain/user/credential/code.ts";
import { addOwnPasskeyLink, isOnlyWayIn, removeOwnPasskey } from "../../domain/user/own-passkey.ts";
import type { Answer } from "../../pages/account.ts";
import { passkeysPage } from "../../pages/html/account/passkeys.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { decide, decideAs } from "../base/decide.ts";
import { findAccountPolicy } from "../base/policy.ts";
import { ownOf } from "./own-session.ts";
import { backTo, type Own, type Part } from "./part.ts";

/** The part on which people add and remove passkeys. */
export const passkeys: Part = {
  isFresh: () => true,
  show: (own) => show(own),
  take: {
    add,
    async remove(own) {
      const credentialId = own.visit.fields.of("passkey");
      const { allowPassword: mayUsePassword } = await findAccountPolicy(own.site, own.found);
      const removed = { ...ownOf(own), credentialId, mayUsePassword };
      const refused = await decideAs(own.site, own.found, (state, nowMs) =>
        removeOwnPasskey(state, removed, nowMs),
      );
      const isTooOften = refused?.reason === "LIMIT_REACHED";
      return isTooOften ? await show(own, "tooOften") : backTo("passkeys");
    },
  },
};

async function show(own: Own, problem?: "full" | "tooOften"): Promise<Answer> {
  const { found, ...person } = own;
  const { passkeys = [], passwordHash } = found.state.human ?? {};
  const { allowPassword } = await findAccountPolicy(own.site, found);
  const held = { passkeys, ...(passwordHash ? { passwordHash } : {}) };
  const isOnly = isOnlyWayIn(held, allowPassword);
  return {
    status: problem === undefined ? 200 : 429,
    page: passkeysPage({ ...person, passkeys, isOnly, ...(problem ? { problem } : {}) }),
  };
}

/** To the page behind a link of one's own, which is used up there. */
async function add(own: Own): Promise<Answer> {
  const { site, found, sessionId } = own;
  const { userId, state } = found;
  const [codeId, code] = [site.newId(), createClientSecret(site.random)];
  const added = { userId, sessionId, codeId, codeHash: hashSecret(code) };
  const isAdded = await decide(site, found, (s, nowMs) => addOwnPasskeyLink(s, added, nowMs));
  if (!isAdded) return await show(own, "full");
  const { organization } = state;
  const ids = { publicUrl: site.publicUrl(), userId, organization, codeId, code };
  return { location: linkToPage("passwordless/init", ids) };
}
