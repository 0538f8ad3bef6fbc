import { unlinkOwnExternal } from "../../domain/user/external-link.ts";
import { hasWayIn } from "../../domain/user/own/ways-in.ts";
import { withoutAccount } from "../../domain/user/state/external-account.ts";
import { readProviders } from "../../execute/providers.ts";
import type { Answer } from "../../pages/account.ts";
import { linksPage, type ShownLinks } from "../../pages/html/account/links.ts";
import { backTo, decideOwn, doneIn, type Own, type Part } from "./part.ts";
import { findWays, heldBy } from "./ways.ts";

/** The part on which people see which accounts elsewhere they are linked to, and unlink them. */
export const links: Part = {
  isFresh: () => true,
  show: (own) => page(own, 200, doneIn(own, ["removed"])),
  take: {
    async remove(own) {
      const { fields } = own.visit;
      const account = { idpId: fields.of("provider"), externalUserId: fields.of("account") };
      const ways = await findWays(own);
      const refused = await decideOwn(own, (state, self, nowMs) =>
        unlinkOwnExternal(state, { ...self, ...account, ways }, nowMs),
      );
      if (refused === undefined) return backTo("links", "removed");
      return refused.reason === "LIMIT_REACHED"
        ? await page(own, 429, { problem: "tooOften" })
        : backTo("links");
    },
  },
};

async function page(
  own: Own,
  status: number,
  told: Pick<ShownLinks, "problem" | "done">,
): Promise<Answer> {
  const { site, found, ...person } = own;
  const held = heldBy(found);
  const { externalIDPs } = held;
  const ids = externalIDPs.map(({ idpId }) => idpId);
  const [providers, ways] = await Promise.all([readProviders(site.store, ids), findWays(own)]);
  const shown = externalIDPs.map(({ idpId, externalUserId, displayName }, index) => {
    const left = withoutAccount(held, { idpId, externalUserId });
    return {
      ...{ idpId, externalUserId, displayName, provider: providers[index]?.name },
      isOnly: !hasWayIn(left, ways),
    };
  });
  return { status, page: linksPage({ ...person, links: shown, ...told }) };
}
