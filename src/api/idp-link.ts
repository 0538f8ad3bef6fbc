import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { IDPOwnerType } from "../../gen/iam/idp/v1/idp_pb.js";
import { IDPLoginPolicyLinkSchema, IDPType } from "../../gen/iam/idp/v1/link_pb.js";
import { type IDPEvent, type IDPState, idp } from "../domain/idp.ts";
import type { Serves } from "../domain/idp-config.ts";
import type { StreamRef } from "../execute/command.ts";
import { readProviders } from "../execute/providers.ts";
import type { Store } from "../store/store.ts";

/** Providers under names that nothing else has, whatever their ids are. */
export type IDPRefs = { [stream: `idp-${string}`]: StreamRef<IDPState, IDPEvent> };

/** The streams of providers for a command that relies on them. */
export function refsOfIDPs(ids: readonly string[]): IDPRefs {
  const refs: IDPRefs = {};
  for (const id of ids) refs[`idp-${id}`] = { noun: idp, id };
  return refs;
}

/** Providers as policies name them, without those that are gone. */
export async function showNamed(
  store: Pick<Store, "load">,
  ids: readonly string[],
): Promise<MessageInitShape<typeof IDPLoginPolicyLinkSchema>[]> {
  const states = await readProviders(store, ids);
  return ids.flatMap((idpId, index) => {
    const state = states[index];
    if (state === undefined) return [];
    return [create(IDPLoginPolicyLinkSchema, { idpId, idpName: state.name, ...typeOf(state) })];
  });
}

/** The protocol of a provider, which may be gone. */
export function typeOf(state: IDPState | undefined): { readonly idpType: IDPType } {
  switch (state?.template) {
    case undefined:
    case "GITHUB":
      return { idpType: IDPType.IDP_TYPE_UNSPECIFIED };
    case "JWT":
      return { idpType: IDPType.IDP_TYPE_JWT };
    default:
      return { idpType: IDPType.IDP_TYPE_OIDC };
  }
}

/** Whom a caller takes a provider to serve; nothing where that is not said. */
export function servesOf(owner: IDPOwnerType): { readonly serves?: Serves } {
  switch (owner) {
    case IDPOwnerType.IDP_OWNER_TYPE_SYSTEM:
      return { serves: "INSTANCE" };
    case IDPOwnerType.IDP_OWNER_TYPE_ORG:
      return { serves: "ORGANIZATION" };
    default:
      return {};
  }
}
