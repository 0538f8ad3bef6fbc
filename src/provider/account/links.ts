import { hasOtherWayIn, unlinkOwnExternal, type WaysIn } from "../../domain/user/external-link.ts";
import { findUsableAmong, readProviders } from "../../execute/providers.ts";
import type { Answer } from "../../pages/account.ts";
import { linksPage, type ShownLinks } from "../../pages/html/account/links.ts";
import { findAccountPolicy } from "../base/policy.ts";
import { backTo, decideOwn, doneIn, type Own, type Part } from "./part.ts";

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
  const { externalIDPs = [], passkeys = [], passwordHash } = found.state.human ?? {};
  const ids = externalIDPs.map(({ idpId }) => idpId);
  const [providers, ways] = await Promise.all([readProviders(site.store, ids), findWays(own)]);
  const held = { externalIDPs, passkeys, ...(passwordHash ? { passwordHash } : {}) };
  const shown = externalIDPs.map(({ idpId, externalUserId, displayName }, index) => ({
    ...{ idpId, externalUserId, displayName, provider: providers[index]?.name },
    isOnly: !hasOtherWayIn(held, { idpId, externalUserId }, ways),
  }));
  return { status, page: linksPage({ ...person, links: shown, ...told }) };
}

/** By what the person may log in, to the account page too. */
async function findWays({ site, found }: Own): Promise<WaysIn> {
  const { human, organization } = found.state;
  const ids = [...new Set(human?.externalIDPs.map(({ idpId }) => idpId))];
  const { allowPassword, allowPasskeys, allowExternal } = await findAccountPolicy(site, found);
  const usable = allowExternal ? await findUsableAmong(site, organization, ids) : [];
  const idpIds = usable.map(({ id }) => id);
  return { password: allowPassword, passkey: allowPasskeys, idpIds };
}
