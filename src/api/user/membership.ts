import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { type MembershipQuery, MembershipSchema } from "../../../gen/iam/user/v1/membership_pb.js";
import type { ListQuery } from "../../../gen/iam/v1/search_pb.js";
import { streamOf } from "../../domain/noun.ts";
import { org } from "../../domain/org.ts";
import { holds, type Membership, type Scope } from "../../domain/permission.ts";
import { project } from "../../domain/project.ts";
import type { HeldMembership } from "../../domain/user/state/held-roles.ts";
import type { UserState } from "../../domain/user/state/user.ts";
import { readOf } from "../../execute/owner.ts";
import type { Found } from "../../execute/read-object.ts";
import type { StoredObject } from "../../store/store.ts";
import { callOf, permissionOf } from "../call.ts";
import { readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { assertKnownQuery, pageOf } from "../listing.ts";
import type { Service } from "../service.ts";
import { readUser } from "./credential.ts";

/** The handlers that tell where a user has roles. */
export function membershipHandlers(service: Service) {
  async function list(
    userId: string,
    { query, queries }: Asked,
    isShown: (membership: Membership) => boolean,
    context: HandlerContext,
  ) {
    const { found, details } = await readUser(service, userId, context);
    const named = await findNamed(service.store, found.state.memberships);
    const matching = named.filter(
      ({ membership }) =>
        isShown(membership) && queries.every((one) => isMatching(membership.scope, one)),
    );
    const result = pageOf(matching, query).map((one) => showMembership(found, one));
    return { details: { ...details, totalResult: BigInt(matching.length) }, result };
  }

  return {
    listUserMemberships({ userId, ...asked }, context) {
      const permission = permissionOf(context);
      const { memberships } = callOf(context).caller;
      // Where the caller may not ask who is a member, nobody tells that the user is one.
      const mayRead = ({ scope }: Membership) => holds(memberships, permission, scope);
      return list(userId, asked, mayRead, context);
    },

    listMyMemberships: (asked, context) =>
      list(callOf(context).caller.userId, asked, () => true, context),
  } satisfies Handlers;
}

/** What the requests for memberships have in common. */
interface Asked {
  readonly query?: ListQuery | undefined;
  readonly queries: readonly MembershipQuery[];
}

/** A membership, and the name of the organization or project; empty for the instance. */
interface Named<One extends Membership> {
  readonly membership: One;
  readonly name: string;
}

/** Reads the names of what memberships are in; those in what was removed are left out. */
export async function findNamed<One extends Membership>(
  store: Pick<Service["store"], "load">,
  memberships: readonly One[],
): Promise<readonly Named<One>[]> {
  const streams = memberships.flatMap(({ scope }) => streamOfScope(scope) ?? []);
  const found = streams.length === 0 ? [] : await readOf(store)(streams);
  const names = new Map(
    found.map(({ stream, state }) => [stream, (state as { name: string } | undefined)?.name]),
  );
  return memberships.flatMap((membership) => {
    const stream = streamOfScope(membership.scope);
    const name = stream === undefined ? "" : names.get(stream);
    return name === undefined ? [] : [{ membership, name }];
  });
}

/** The stream of the organization or project of a scope; undefined for the instance. */
function streamOfScope(scope: Scope): string | undefined {
  if (scope.level === "instance") return undefined;
  return scope.level === "organization"
    ? streamOf(org, scope.organization)
    : streamOf(project, scope.project);
}

function isMatching(scope: Scope, { query }: MembershipQuery): boolean {
  switch (query.case) {
    case "orgQuery":
      return scope.level === "organization" && scope.organization === query.value.orgId;
    case "projectQuery":
      return scope.level === "project" && scope.project === query.value.projectId;
    case "projectGrantQuery":
      // Nobody is a member of a granted project.
      return false;
    case "iamQuery":
      return (scope.level === "instance") === query.value.iam;
    default:
      return assertKnownQuery();
  }
}

function showMembership(
  { id: userId, stored }: Found<UserState>,
  { membership, name: displayName }: Named<HeldMembership>,
) {
  const { scope, roles } = membership;
  const details = membershipDetails(stored, membership);
  return create(MembershipSchema, {
    ...{ userId, details, roles: [...roles], displayName, type: showPlace(scope) },
  });
}

/** The details of a membership of a user: it belongs to the organization that it is in. */
export function membershipDetails(
  stored: StoredObject,
  { scope, addedMs: createdMs, changedMs }: HeldMembership,
) {
  const owner = scope.level === "instance" ? "" : scope.organization;
  return readDetails({ ...stored, owner, createdMs, changedMs });
}

function showPlace(scope: Scope) {
  switch (scope.level) {
    case "instance":
      return { case: "iam", value: true } as const;
    case "organization":
      return { case: "orgId", value: scope.organization } as const;
    case "project":
      return { case: "projectId", value: scope.project } as const;
  }
}
