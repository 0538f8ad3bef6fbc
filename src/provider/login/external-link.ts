import { accountNameOf } from "../../domain/identity.ts";
import { idp } from "../../domain/idp.ts";
import { optionsOf } from "../../domain/idp-sign-in.ts";
import { linkExternal } from "../../domain/user/external-link.ts";
import { makersOf } from "../../domain/user/login/login.ts";
import { resetsOf } from "../../domain/user/login/reset.ts";
import { viaOf } from "../../domain/user/state/made.ts";
import { user } from "../../domain/user/state/user.ts";
import { findUsableAmong } from "../../execute/providers.ts";
import type { Answer } from "../../pages/account.ts";
import { externalProblemPage } from "../../pages/html/external.ts";
import type { FoundUser } from "../base/rows.ts";
import { type Arrived, findArrived, removeArrived } from "../external/arrived.ts";
import type { ToldLogin } from "../library/grant.ts";
import { keepAsked } from "./actions.ts";
import type { Open } from "./open.ts";

type ShownWays = Pick<ToldLogin, "factors" | "passkey" | "external">;

/**
 * Links the account with which somebody has come in this login to the person who has shown who it
 * is, where that was asked for. Answers the page that says that it was not; undefined where the
 * login goes on.
 */
export async function linkArrived(
  open: Open,
  found: FoundUser,
  shown: ShownWays,
): Promise<Answer | undefined> {
  const { site, target } = open;
  const arrived = await findArrived(site, target.uid);
  if (arrived?.isLinking !== true) return undefined;
  // Once: whatever comes of it, the account has to be shown anew.
  await removeArrived(site, target.uid);
  const isLinked = await link(open, found, arrived, shown);
  return isLinked ? undefined : { status: 409, page: externalProblemPage(target, "unlinked") };
}

async function link(
  open: Open,
  found: FoundUser,
  { idpId, comer }: Arrived,
  shown: ShownWays,
): Promise<boolean> {
  const { site } = open;
  const { userId, state } = found;
  const { organization } = state;
  const [usable] = await findUsableAmong(site, organization, [idpId]);
  if (usable === undefined || !optionsOf(usable.state).isLinkingAllowed) return false;
  const { externalUserId } = comer;
  const account = { idpId, externalUserId, displayName: accountNameOf(comer) };
  const outcome = await site.execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    relies: { provider: { noun: idp, id: idpId } },
    decide: (states, nowMs) => {
      const others = states.user === undefined ? [] : makersOf(states.user, shown, nowMs);
      const via = viaOf(userId, { maker: userId, via: others });
      const linking = { user: states.user, idp: states.provider };
      return linkExternal(linking, { ...account, ...via, resets: resetsOf(state) });
    },
  });
  if (outcome.kind === "done") {
    // Actions of an organization keep nothing with people of another.
    if (organization === open.organization) await keepAsked(open, found, comer.metadata);
    return true;
  }
  // The person may have been linked to it meanwhile.
  return outcome.kind === "rejected" && outcome.rejection.reason === "NOTHING_CHANGED";
}
