import { comerOf, type ExternalComer } from "../../domain/comer.ts";
import { askedMsIn, type SaidClaims } from "../../domain/identity.ts";
import { linksTo } from "../../domain/idp.ts";
import { mayBeSilent, optionsOf } from "../../domain/idp-sign-in.ts";
import { idOf, isStreamOf } from "../../domain/noun.ts";
import { followNames } from "../../domain/registration/register-external.ts";
import { claimsOfAddress, hasAddress } from "../../domain/user/state/address.ts";
import { isAccount } from "../../domain/user/state/external-account.ts";
import type { ExternalAccount, ShownAccount } from "../../domain/user/state/factor-traits.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Usable } from "../../execute/providers.ts";
import type { Answer } from "../../pages/account.ts";
import { externalChoicePage, externalProblemPage } from "../../pages/html/external.ts";
import { decide } from "../base/decide.ts";
import { aheadMs } from "../base/parts.ts";
import { mayComeFrom } from "../base/policy.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { type Arrived, findArrived, putArrived, removeArrived } from "../external/arrived.ts";
import { ExternalFailed } from "../external/protocol.ts";
import { keepAsked, shapeArrival } from "./actions.ts";
import { askProvider, elsewhereOf, failed, findOffered, isStale, readComer } from "./external.ts";
import { beginAccount, takeAccount } from "./external-account.ts";
import { firstPage } from "./first.ts";
import { goOn, needed } from "./onward.ts";
import { notAllowed, type Open, ok } from "./open.ts";

/** Leads to the provider that somebody chose on the first page. */
export async function askForProvider(open: Open): Promise<Answer> {
  const usable = await findOffered(open, open.visit.fields.of("provider"));
  if (usable !== undefined) return await askProvider(open, usable);
  return await firstPage(open, { isRefused: true });
}

/** Lets somebody in who comes from a provider, or says what has to be done for that. */
export async function takeComer(open: Open): Promise<Answer> {
  const came = await readComer(open);
  if (!("identified" in came)) return came;
  const { usable, identified } = came;
  const { identity, ...said } = identified;
  await removeArrived(open.site, open.target.uid);
  const asked = askedOf(open, usable, said.claims);
  const account = { idpId: usable.id, externalUserId: identity.externalUserId, ...asked };
  const holder = await findHolder(open, account);
  // Who has to show more is asked anew by that.
  const isAsked = holder !== undefined && needed(holder, { shown: ["external"] }) !== undefined;
  if (!isAsked && isStale(open, asked.askedMs)) return failed(open, usable, unasked);
  const comer = await shapeArrival(open, usable, { comer: comerOf(identity), ...said }, holder);
  const arrived = { idpId: usable.id, comer, isLinking: false, ...asked };
  if (holder === undefined) return await receive(open, usable, arrived);
  return await letHolderIn(open, usable, { holder, comer }, account);
}

/** When the provider asked the person, by the clock of the log: see `ShownAccount`. */
function askedOf(
  { site }: Open,
  { state }: Usable,
  claims: SaidClaims,
): Pick<ShownAccount, "askedMs"> {
  const askedMs = askedMsIn(claims);
  if (askedMs !== undefined) return { askedMs: askedMs + aheadMs(site) };
  return mayBeSilent(state) ? { askedMs: site.now() } : {};
}

const unasked = new ExternalFailed("STALE", "it does not say that it asked the person anew");

/** The person who is linked to the account; the row says it, and not the claim that leads to it. */
async function findHolder(
  { site }: Open,
  { idpId, externalUserId }: ExternalAccount,
): Promise<FoundUser | undefined> {
  const stream = await site.store.find({ ...linksTo(idpId), value: externalUserId });
  if (stream === undefined || !isStreamOf(user, stream)) return undefined;
  const found = await findUser(site, idOf(user, stream));
  const links = found?.state.human?.externalIDPs ?? [];
  return links.some((one) => isAccount(one, { idpId, externalUserId })) ? found : undefined;
}

async function letHolderIn(
  open: Open,
  { state }: Usable,
  { holder, comer }: { readonly holder: FoundUser; readonly comer: ExternalComer },
  account: ShownAccount,
): Promise<Answer> {
  const { human, isInactive } = holder.state;
  if (human === undefined || isInactive) return notAllowed(open);
  // Nothing is done in the name of a person who does not get in by this.
  if (!(await mayComeFrom(open.site, holder, account))) return notAllowed(open);
  if (optionsOf(state).isAutoUpdate) {
    await decide(open.site, holder, (now, nowMs) => followNames(now, comer, nowMs));
  }
  await keepAsked(open, holder, comer.metadata);
  const shown = { shown: ["external"], external: account } as const;
  return await goOn(open, holder, { ...shown, hash: human.passwordHash ?? "" });
}

/** What comes of somebody without a link: an account, a link behind a login, or nothing. */
async function receive(open: Open, { state }: Usable, arrived: Arrived): Promise<Answer> {
  const { site, target, organization } = open;
  const { isLinkingAllowed, isCreationAllowed, isAutoCreation, autoLinking } = optionsOf(state);
  const canCreate = isCreationAllowed && organization !== undefined;
  const isProposed =
    isLinkingAllowed && autoLinking === "EMAIL" && (await hasOneMatch(open, arrived));
  if (isProposed) return await linkBehind(open, arrived, arrived.comer.email);
  if (canCreate && (isAutoCreation || !isLinkingAllowed)) {
    await putArrived(site, target.uid, arrived);
    return await beginAccount(open, arrived, isAutoCreation);
  }
  if (!isLinkingAllowed) return { status: 403, page: externalProblemPage(target, "unknown") };
  if (!canCreate) return await linkBehind(open, arrived);
  await putArrived(site, target.uid, arrived);
  return await showArrived(open, arrived);
}

/** Has the person log in with what there is here, and links the account then. */
async function linkBehind(open: Open, arrived: Arrived, userName = ""): Promise<Answer> {
  await putArrived(open.site, open.target.uid, { ...arrived, isLinking: true });
  return await firstPage(open, { userName });
}

/**
 * Whether one person of the organization alone has the address, which both sides have verified. It
 * is a proposal: the person has to log in here all the same.
 */
async function hasOneMatch(
  { site, organization }: Open,
  { comer: { email, isEmailVerified } }: Arrived,
): Promise<boolean> {
  if (!isEmailVerified || organization === undefined) return false;
  const [, ofOrganization] = claimsOfAddress(email, organization);
  const { streams } = await site.store.holders(ofOrganization, 2);
  const found = await Promise.all(streams.map((stream) => findUser(site, idOf(user, stream))));
  return found.filter((one) => one !== undefined && hasAddress(one.state, email)).length === 1;
}

/** Where somebody stands who has come from a provider, and whom nobody is linked to. */
export async function showArrived(open: Open, arrived: Arrived): Promise<Answer> {
  if (arrived.isLinking) return await firstPage(open);
  const usable = await findOffered(open, arrived.idpId);
  if (usable === undefined) return notAllowed(open);
  const { isLinkingAllowed } = optionsOf(usable.state);
  if (!isLinkingAllowed) return await beginAccount(open, arrived, false);
  return ok(externalChoicePage(open.target, await elsewhereOf(open, arrived)));
}

/** Takes a form of somebody who has come from a provider; others see the first page. */
function ofArrived(
  take: (open: Open, arrived: Arrived) => Promise<Answer>,
): (open: Open) => Promise<Answer> {
  return async (open) => {
    const arrived = await findArrived(open.site, open.target.uid);
    return arrived === undefined ? await firstPage(open) : await take(open, arrived);
  };
}

/** What takes the forms of those who log in by a provider, by the step that a form names. */
export const externalTakers = {
  "external-link": ofArrived((open, arrived) => linkBehind(open, arrived)),
  "external-new": ofArrived((open, arrived) => beginAccount(open, arrived, false)),
  "external-account": ofArrived(takeAccount),
  "external-leave": async (open: Open): Promise<Answer> => {
    await removeArrived(open.site, open.target.uid);
    return await firstPage(open);
  },
};
