import { requestErasure, withdrawErasure } from "../../domain/user/erasure-request.ts";
import type { Answer } from "../../pages/account.ts";
import { erasurePage } from "../../pages/html/account/erasure.ts";
import { decide, decideAs } from "../base/decide.ts";
import { backTo, isDone, type Own, type Part } from "./part.ts";

/** The part on which people ask to be erased, and take that back. */
export const erasure: Part = {
  isFresh: () => true,
  show: async (own) => show(own),
  take: {
    async request(own) {
      const refused = await decideAs(own.site, own.found, requestErasure);
      return refused?.reason === "LIMIT_REACHED" ? show(own, true) : backTo("erasure");
    },
    async withdraw({ site, found }) {
      await decide(site, found, withdrawErasure);
      return backTo("erasure", "withdrawn");
    },
  },
};

function show(own: Own, isTooOften = false): Answer {
  const { found, ...person } = own;
  const { state } = found;
  const isWithdrawn = isDone(own, "withdrawn");
  const { erasure: asked, memberships } = state;
  const shown = { ...person, erasedMs: asked?.dueMs, holdsRoles: memberships.length > 0 };
  return {
    status: isTooOften ? 429 : 200,
    page: erasurePage({ ...shown, isTooOften, isWithdrawn }),
  };
}
