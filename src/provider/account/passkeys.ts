import { linkToPage } from "../../domain/user/credential/code.ts";
import { addOwnPasskeyLink, isOnlyWayIn, removeOwnPasskey } from "../../domain/user/own-passkey.ts";
import type { Answer } from "../../pages/account.ts";
import { passkeysPage } from "../../pages/html/account/passkeys.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { decide } from "../base/decide.ts";
import { backTo, type Own, type Part } from "./part.ts";

/** The part on which people add and remove passkeys. */
export const passkeys: Part = {
  isFresh: () => true,
  show: async (own) => show(own),
  take: {
    add,
    async remove({ site, found, sessionId, visit }) {
      const removed = { userId: found.userId, sessionId, credentialId: visit.fields.of("passkey") };
      await decide(site, found, (state, nowMs) => removeOwnPasskey(state, removed, nowMs));
      return backTo("passkeys");
    },
  },
};

function show({ found, ...person }: Own, isFull = false): Answer {
  const { passkeys = [], passwordHash } = found.state.human ?? {};
  const isOnly = isOnlyWayIn({ passkeys, ...(passwordHash ? { passwordHash } : {}) });
  return {
    status: isFull ? 429 : 200,
    page: passkeysPage({ ...person, passkeys, isOnly, isFull }),
  };
}

/** To the page behind a link of one's own, which is used up there. */
async function add(own: Own): Promise<Answer> {
  const { site, found, sessionId } = own;
  const { userId, state } = found;
  const [codeId, code] = [site.newId(), createClientSecret(site.random)];
  const added = { userId, sessionId, codeId, codeHash: hashSecret(code) };
  const isAdded = await decide(site, found, (s, nowMs) => addOwnPasskeyLink(s, added, nowMs));
  if (!isAdded) return show(own, true);
  const { organization } = state;
  const ids = { publicUrl: site.publicUrl(), userId, organization, codeId, code };
  return { location: linkToPage("passwordless/init", ids) };
}
