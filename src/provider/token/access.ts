import type { Grant } from "oidc-provider";
import { type Access, isGood } from "../../domain/access.ts";
import type { FindAccess } from "../../gateway/call/caller.ts";
import { findProjectGrant, findRoles } from "../base/roles.ts";
import { proofOf } from "./extra.ts";
import { consentIn } from "./granted.ts";
import type { FindProvider } from "./now.ts";
import { isForApi } from "./scopes.ts";
import { type FoundToken, findToken, type TokenParts } from "./token.ts";

/**
 * Makes what says whom an access token lets in at the API of this service. It must have been asked
 * for with the scope of the API; if a person's, in a consent that stands.
 */
export function createFindAccess(parts: TokenParts, findProvider: FindProvider): FindAccess {
  // Loaded for a token that is in one.
  const envelope = { open: async (text: string) => (await findProvider()).envelope.open(text) };
  return async (token) => {
    const found = await findToken(parts, envelope, token);
    if (found === undefined) return undefined;
    const access = accessOf(found);
    if (access === undefined) return undefined;
    const { subject, client } = found;
    const { userId, state } = subject;
    const project = client?.project;
    // By one of them the token is shown: what asks for no role needs none.
    const [held] = project?.projectRoleCheck
      ? await findRoles(parts, userId, project.projectId)
      : [];
    const asksForProject = project?.projectRoleCheck || project?.hasProjectCheck;
    const granted = asksForProject && (await findProjectGrant(parts, state.organization, project));
    const by = {
      ...access,
      ...(held && { held: held.first }),
      ...(granted && { projectGrantId: granted.id }),
    };
    const states = {
      ...{ caller: state, app: client?.state, project },
      ...held?.rest,
      ...(granted && { projectGrant: granted.state }),
    };
    return isGood(by, states, parts.now()) ? { access: by, userId, state } : undefined;
  };
}

function accessOf({ kind, payload, client, grant }: FoundToken): Access | undefined {
  const { scope, exp = 0, sessionUid: sessionId = "", expiresWithSession } = payload;
  if (kind === "RefreshToken" || !isForApi(scope)) return undefined;
  const expiresMs = exp * 1_000;
  if (client === undefined) return { kind: "machine", expiresMs, proof: proofOf(payload) };
  const consentId = grant && consentIn(grant as Pick<Grant, "resources">);
  if (consentId === undefined) return undefined;
  const { appId, projectId, config } = client;
  const needsSession = expiresWithSession === true;
  return {
    ...{ kind: "application", expiresMs, clientId: config.clientId, appId, projectId },
    ...{ consentId, sessionId, needsSession },
  };
}
