import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { UserGrantSchema } from "../../../gen/iam/auth/v1/auth_pb.js";
import type { UserGrant } from "../../../gen/iam/user/v1/grant_pb.js";
import { grant, grantsOf, rolesOf } from "../../domain/grant.ts";
import { permissionsOf } from "../../domain/permission.ts";
import { sessionsOf } from "../../domain/user/state/session.ts";
import { readRoles } from "../../execute/grants.ts";
import { readOf } from "../../execute/owner.ts";
import { callOf } from "../call.ts";
import type { Handlers } from "../handlers.ts";
import { listPage, matchHolders } from "../listing.ts";
import type { Service } from "../service.ts";
import { readUser } from "./credential.ts";
import { showGrants } from "./grant-view.ts";
import { findNamed } from "./membership.ts";
import { showUser } from "./read.ts";

/** The handlers that tell callers who they are and what they may. */
export function ownHandlers(service: Service) {
  const { store, now } = service;

  return {
    async getMyUser(_request, context) {
      const { found } = await readUser(service, callOf(context).caller.userId, context);
      const begun = sessionsOf(found.state, now()).map(({ begunMs }) => begunMs);
      const lastLogin = begun.length > 0 && { lastLogin: timestampFromMs(Math.max(...begun)) };
      return { user: showUser(found, now()), ...lastLogin };
    },

    async listMyUserGrants({ query }, context) {
      const where = matchHolders(grantsOf(callOf(context).caller.userId));
      const { details, objects } = await listPage(service, context, grant, { where }, query);
      // Who asks for itself is told what it holds.
      const shown = await showGrants(store, objects, ({ state, ...rest }) =>
        rolesOf({ ...rest, grant: state }),
      );
      return { details, result: shown.map(showOwnGrant) };
    },

    async listMyProjectPermissions(_request, context) {
      const { admission, caller } = callOf(context);
      const { shown } = admission;
      // Only what an application has is of a project.
      if (shown.kind !== "application") return { result: [] };
      const asked = { userId: caller.userId, projectId: shown.projectId };
      const held = await readRoles(store, readOf(store), asked);
      return { result: [...new Set(held.flatMap(({ keys }) => keys))] };
    },

    async listMyIAMPermissions(_request, context) {
      const { memberships, organization } = callOf(context).caller;
      const there = (await findNamed(store, memberships)).map(({ membership }) => membership);
      return { result: [...permissionsOf(there, organization)] };
    },
  } satisfies Handlers;
}

/** What the grant has in common with that of other services goes by the same names. */
function showOwnGrant({ $typeName: _of, id: grantId, ...shown }: UserGrant) {
  return create(UserGrantSchema, { ...shown, grantId, roles: shown.roleKeys });
}
