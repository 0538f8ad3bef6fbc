import { withAliases } from "../../alias.ts";
import type { ProviderParts } from "../base/parts.ts";
import { hasProject, mayUseNow } from "../base/roles.ts";
import type { FoundApp } from "../base/rows.ts";
import { claimsByActions } from "./actions.ts";
import { tellMetadata, tellOrganization } from "./beyond.ts";
import { toldClaims } from "./claims.ts";
import type { Envelope } from "./envelope.ts";
import { readExtra } from "./extra.ts";
import { tellGroups } from "./groups.ts";
import { tellOwnRoles } from "./roles.ts";
import { type FoundToken, findToken } from "./token.ts";

/** What is said of a valid token, and of any other text (RFC 7662, 2.2). */
export type Introspected =
  | { readonly active: false }
  | { readonly active: true; readonly [name: string]: unknown };

const inactive: Introspected = { active: false };

/** Says what a token stands for, to an application of a project that it was given for. */
export async function introspect(
  parts: ProviderParts,
  envelope: Envelope,
  { token, asker }: { readonly token: string; readonly asker: FoundApp },
): Promise<Introspected> {
  const found = await findToken(parts, envelope, token);
  if (found === undefined) return inactive;
  const { kind, payload, subject, client } = found;
  const { clientId = "", scope = "", exp, iat } = payload;
  const common = {
    ...{ active: true, iss: parts.publicUrl(), sub: subject.userId, client_id: clientId, exp, iat },
    ...(scope === "" ? {} : { scope }),
    ...(kind === "RefreshToken" ? {} : { token_type: "Bearer" }),
    username: subject.state.userName,
  } as const;
  const { audience = [] } = readExtra(payload);
  // A machine is its own client, and is of an organization.
  const organization = client?.organization ?? subject.state.organization;
  // By the scope the token is for other projects, too, whose rules count now as they did then.
  const isMeant =
    audience.includes(asker.projectId) &&
    (await hasProject(parts, organization, asker.project)) &&
    (await mayUseNow(parts, subject, asker.project));
  const isOwn =
    client === undefined
      ? organization === asker.organization
      : client.projectId === asker.projectId;
  if (!isMeant && !isOwn) return inactive;
  const more = await tellMore(parts, found, asker);
  const ofMachine = audience.length === 0 ? {} : { aud: [clientId, ...audience] };
  const claims: Introspected =
    client === undefined
      ? { ...common, ...more, ...ofMachine }
      : {
          ...{ ...common, aud: [...new Set([clientId, client.projectId, ...audience])] },
          ...{ ...toldClaims(subject, scope, []), ...more },
        };
  return { ...(await claimsByActions(parts, { subject, trigger: 4, claims })), ...claims };
}

/**
 * What is said besides of whom the token stands for: roles are those of the project that asks, and
 * groups are named that are of its organization.
 */
async function tellMore(
  parts: ProviderParts,
  { payload: { scope = "" }, subject, client }: FoundToken,
  { projectId: own, organization, project }: FoundApp,
) {
  const isTheirs = client?.config.kind === "oidc" && client.projectId === own;
  const isAsserted =
    project.projectRoleAssertion || (isTheirs && client.config.accessTokenRoleAssertion);
  const told = {
    ...(await tellOwnRoles(parts, {
      userId: subject.userId,
      own,
      organization,
      isAsserted,
      scope,
    })),
    ...(await tellGroups(parts, { userId: subject.userId, organization, scope })),
    ...(await tellOrganization(parts, subject, scope)),
    ...(await tellMetadata(parts, subject, scope)),
  };
  return withAliases(told, parts.alias);
}
