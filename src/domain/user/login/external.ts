import { isAccount } from "../state/external-account.ts";
import type { FactorRule } from "./rule.ts";

/**
 * An account at an identity provider, which says who somebody is. RFC 8176 has no name for one:
 * this is what other services say of it.
 */
export const external: FactorRule = {
  amr: ["fed"],
  needs: () => false,
  isStill: ({ externalIDPs }, { external: shown }) =>
    shown !== undefined && externalIDPs.some((one) => isAccount(one, shown)),
  isOf: ({ kind, id: externalUserId = "", idpId = "" }, { external: shown }) =>
    kind === "external-account" &&
    shown !== undefined &&
    isAccount({ idpId, externalUserId }, shown),
};
