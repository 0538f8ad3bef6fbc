import { dataPage } from "../../pages/html/account/data.ts";
import type { Part } from "./part.ts";

/** The part on which people download all that is kept of them. */
export const data: Part = {
  isFresh: () => true,
  show: async (own) => ({ status: 200, page: dataPage(own) }),
  take: {
    async download({ site, found: { userId, state } }) {
      const { organization } = state;
      const pieces = await site.openPersonalData({ userId, organization });
      return { file: { name: "account.json", contentType: "application/json", pieces } };
    },
  },
};
