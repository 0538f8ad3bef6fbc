import { type IDPState, idp, servesOrganization } from "../domain/idp.ts";
import { idOf, streamOf } from "../domain/noun.ts";
import { login, type NamingPolicy } from "../domain/policy/login.ts";
import { usableProviders } from "../domain/policy/offer.ts";
import type { Objects } from "../store/objects.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { readCounting } from "./owner.ts";
import { type FoundPolicy, findPolicy } from "./policies.ts";

/** A provider by which people may log in. */
export interface Usable {
  readonly id: string;
  readonly state: IDPState;
}

/** Where policies and providers are read. */
interface Reads {
  readonly objects: Pick<Objects, "current" | "seen">;
}

/** Under which those are listed that serve the instance: see `parentsFor`. */
const instanceParent = "";

/** The bounds on what is offered. */
export const offerLimits = {
  /** Providers of an organization, and of the instance, that are looked at: the oldest. */
  providers: 100,
} as const;

/**
 * The providers that a login in an organization offers; without an organization, those of the
 * instance. Rejects with `StoreUnavailable` where a list takes too long.
 */
export async function findUsableProviders(
  { store, objects }: Reads & { readonly store: Pick<Store, "list"> },
  organization: string | undefined,
  limit: number = offerLimits.providers,
): Promise<readonly Usable[]> {
  const found = await findPolicy(objects.current, login, organization);
  const { policy, isDefault } = found;
  const listUnder = async (parent: string): Promise<readonly string[]> => {
    const page = await store.list({ kind: idp.kind, parents: [parent], offset: 0, limit });
    if (page === undefined) throw new StoreUnavailable("the list took too long");
    return page.objects.map(({ stream }) => idOf(idp, stream));
  };
  const named = policy.idps ?? (isDefault ? await listUnder(instanceParent) : []);
  const own = isDefault && organization !== undefined ? await listUnder(organization) : [];
  return await findUsableAmong({ objects }, organization, [...named, ...own], found);
}

/** The providers with these ids, in their order; undefined in place of those that are gone. */
export async function readProviders(
  { load }: Pick<Store, "load">,
  ids: readonly string[],
): Promise<readonly (IDPState | undefined)[]> {
  const found = await load(ids.map((id) => streamOf(idp, id)));
  return found.map(({ state }) => (state === undefined ? undefined : JSON.parse(state)));
}

/** Those of some providers that a login in an organization offers, in their order. */
export async function findUsableAmong(
  { objects }: Reads,
  organization: string | undefined,
  ids: readonly string[],
  /** The login policy that counts there; left out, it is read. */
  counting?: Pick<FoundPolicy<NamingPolicy>, "policy" | "isDefault">,
): Promise<readonly Usable[]> {
  const streams = ids.map((id) => streamOf(idp, id));
  const found = await readCounting(objects, objects.current, streams);
  const there = ids.flatMap((id, index): readonly Usable[] => {
    const state = found[index]?.state as IDPState | undefined;
    return state !== undefined && servesOrganization(state, organization) ? [{ id, state }] : [];
  });
  const { policy, isDefault } =
    counting ?? (await findPolicy(objects.current, login, organization));
  return usableProviders({ ...policy, isDefault }, there);
}
