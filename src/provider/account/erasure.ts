import { requestErasure, withdrawErasure } from "../../domain/user/erasure-request.ts";
import { erasurePage } from "../../pages/html/account/erasure.ts";
import { decide } from "../base/decide.ts";
import { backTo, type Part } from "./part.ts";

/** The part on which people ask to be erased, and take that back. */
export const erasure: Part = {
  isFresh: () => true,
  async show({ found: { state }, ...person }) {
    const { erasure: asked, memberships } = state;
    const shown = { ...person, erasedMs: asked?.dueMs, holdsRoles: memberships.length > 0 };
    return { status: 200, page: erasurePage(shown) };
  },
  take: {
    async request({ site, found }) {
      await decide(site, found, (state, nowMs) => requestErasure(state, nowMs));
      return backTo("erasure");
    },
    async withdraw({ site, found }) {
      await decide(site, found, withdrawErasure);
      return backTo("erasure");
    },
  },
};
