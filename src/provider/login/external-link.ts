import { accountNameOf, type Identity } from "../../domain/identity.ts";
import { idp } from "../../domain/idp.ts";
import { optionsOf } from "../../domain/idp-sign-in.ts";
import { linkExternal } from "../../domain/user/external-link.ts";
import { makersOf } from "../../domain/user/login/login.ts";
import { viaOf } from "../../domain/user/made.ts";
import { user } from "../../domain/user/user.ts";
import { findUsableAmong } from "../../execute/providers.ts";
import type { Answer } from "../../pages/account.ts";
import { externalProblemPage } from "../../pages/html/external.ts";
import type { FoundUser } from "../base/rows.ts";
import { findArrived, removeArrived } from "../external/arrived.ts";
import type { ToldLogin } from "../library/grant.ts";
import type { Open } from "./open.ts";

/**
 * Links the account with which somebody has come in this login to the person who has shown who it
 * is, where that was asked for. Answers the page that says that it was not; undefined where the
 * login goes on.
 */
export async function linkArrived(
  { site, target }: Pick<Open, "site" | "target">,
  found: FoundUser,
  shown: Pick<ToldLogin, "factors" | "passkey" | "external">,
): Promise<Answer | undefined> {
  const arrived = await findArrived(site, target.uid);
  if (arrived?.isLinking !== true) return undefined;
  // Once: whatever comes of it, the account has to be shown anew.
  await removeArrived(site, target.uid);
  const { idpId, identity } = arrived;
  const isLinked = await link(site, found, { idpId, identity, shown });
  return isLinked ? undefined : { status: 409, page: externalProblemPage(target, "unlinked") };
}

interface Linked {
  readonly idpId: string;
  readonly identity: Identity;
  readonly shown: Pick<ToldLogin, "factors" | "passkey" | "external">;
}

async function link(
  site: Open["site"],
  { userId, state: { organization } }: FoundUser,
  { idpId, identity, shown }: Linked,
): Promise<boolean> {
  const [usable] = await findUsableAmong(site.store, organization, [idpId]);
  if (usable === undefined || !optionsOf(usable.state).isLinkingAllowed) return false;
  const account = {
    ...{ idpId, externalUserId: identity.externalUserId, displayName: accountNameOf(identity) },
  };
  const outcome = await site.execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    relies: { provider: { noun: idp, id: idpId } },
    decide: (states, nowMs) => {
      const others = states.user === undefined ? [] : makersOf(states.user, shown, nowMs);
      const via = viaOf(userId, { maker: userId, via: others });
      const linking = { user: states.user, idp: states.provider };
      return linkExternal(linking, { ...account, ...via });
    },
  });
  // The person may have been linked to it meanwhile.
  return (
    outcome.kind === "done" ||
    (outcome.kind === "rejected" && outcome.rejection.reason === "NOTHING_CHANGED")
  );
}
