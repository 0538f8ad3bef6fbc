import type { HandlerContext } from "@connectrpc/connect";
import type { TestActionRequest } from "../../gen/iam/management/v1/action_test_pb.js";
import type { Run } from "../actions/run.ts";
import type { Trigger } from "../domain/flow-types.ts";
import { holds } from "../domain/permission.ts";
import type { Claims } from "../domain/set-claims.ts";
import { claimsOf, contextForActions } from "../domain/user/claims.ts";
import { user } from "../domain/user/state/user.ts";
import { readGrants } from "../execute/grants.ts";
import { readOf } from "../execute/owner.ts";
import { findOrganizationName, readObject } from "../execute/read-object.ts";
import { readerOf } from "../store/objects.ts";
import { callOf, refuse } from "./call.ts";
import type { Service } from "./service.ts";
import { readMetadata } from "./user/metadata.ts";

/** What a script is told in a test: what is given, or what is known of a person. */
export async function sampleFor(
  { store }: Pick<Service, "store">,
  { userId, contextJson }: Pick<TestActionRequest, "userId" | "contextJson">,
  flow: Trigger["flow"],
  context: HandlerContext,
): Promise<Run["context"]> {
  if (userId === "") return contextJson === "" ? {} : JSON.parse(contextJson);
  const { caller, organization } = callOf(context);
  const found = await readObject(store, user, userId);
  const scope = { level: "organization", organization } as const;
  const mayRead = (["user.read", "user.grant.read"] as const).every((permission) =>
    holds(caller.memberships, permission, scope),
  );
  if (!mayRead || found?.state.organization !== organization) refuse("USER_NOT_FOUND");
  const { state } = found;
  const claims = claimsOf({ userId, state });
  const entries = (await readMetadata({ store }, userId)).map(({ state: text }) => {
    const { key, value } = JSON.parse(text ?? "{}");
    return { key, value: Buffer.from(value, "base64").toString() };
  });
  const home = {
    id: organization,
    name: await findOrganizationName(readerOf(store), organization),
  };
  const grants = await readGrants(store, readOf(store), userId);
  const { v1 } = contextForActions(
    { userId, state },
    { organization: home, metadata: entries, grants, claims },
  );
  const { claims: _claims, ...others } = v1;
  // In the first flow, claims are those of a provider elsewhere.
  return flow === 1 ? { claims, v1: { ...others, authError: "none" } } : { v1 };
}

/** The claims among what a script is told. */
export function claimsIn(told: Run["context"]): Claims {
  const { claims, v1 } = told as { readonly claims?: unknown; readonly v1?: unknown };
  const inner = (Object(v1) as { readonly claims?: unknown }).claims;
  return { ...Object(inner ?? claims ?? {}) };
}
