import { create } from "@bufbuild/protobuf";
import { IDPOwnerType, IDPSchema, IDPState } from "../../../gen/iam/idp/v1/idp_pb.js";
import { ProviderSchema, ProviderType } from "../../../gen/iam/idp/v1/provider_pb.js";
import type { IDPState as State } from "../../domain/idp.ts";
import type { Serves } from "../../domain/idp-config.ts";
import { optionsOf } from "../../domain/idp-sign-in.ts";
import type { Found } from "../../execute/read-object.ts";
import { readDetails } from "../details.ts";
import { enumNames } from "../enum.ts";
import { forms, showOIDC, showOptions, stylingTypes } from "./forms.ts";

/** A provider as the calls without options tell it: of other templates, without configuration. */
export function showIDP(found: Found<State>) {
  const { state } = found;
  return create(IDPSchema, {
    ...showCommon(found),
    stylingType: stylingTypes.show(state.stylingType),
    autoRegister: state.autoRegister,
    config: showConfig(state),
  });
}

/** A provider with its template and its options. */
export function showProvider(found: Found<State>) {
  const { state } = found;
  return create(ProviderSchema, {
    ...showCommon(found),
    type: types.show(state.template),
    config: {
      options: showOptions(optionsOf(state)),
      config: forms[state.template].show(state),
    },
  });
}

/** The providers that have an owner of this type, by whom they serve. */
export function servedBy(type: IDPOwnerType): readonly string[] {
  return Object.entries(owners).flatMap(([serves, owner]) => (owner === type ? [serves] : []));
}

function showCommon({ id, stored, state }: Found<State>) {
  return {
    id,
    details: readDetails(stored),
    state: state.isInactive ? IDPState.IDP_STATE_INACTIVE : IDPState.IDP_STATE_ACTIVE,
    name: state.name,
    owner: owners[state.serves],
  };
}

function showConfig({ oidc, jwt }: State) {
  if (jwt !== undefined) return { case: "jwtConfig", value: jwt } as const;
  if (oidc === undefined) return { case: undefined } as const;
  return { case: "oidcConfig", value: showOIDC(oidc) } as const;
}

const types = enumNames(ProviderType, "");

const owners: { readonly [serves in Serves]: IDPOwnerType } = {
  INSTANCE: IDPOwnerType.IDP_OWNER_TYPE_SYSTEM,
  ORGANIZATION: IDPOwnerType.IDP_OWNER_TYPE_ORG,
};
