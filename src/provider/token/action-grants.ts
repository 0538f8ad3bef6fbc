import type { Effect } from "../../actions/run.ts";
import { addGrantByAction } from "../../domain/action-grant.ts";
import type { Rejection } from "../../domain/decision.ts";
import { grant, grantLimits, grantsOf } from "../../domain/grant.ts";
import { project } from "../../domain/project.ts";
import { handOfAction } from "../../domain/user/state/made.ts";
import { user } from "../../domain/user/state/user.ts";
import { refsBy, rolesWith } from "../../execute/roles.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { FoundUser } from "../base/rows.ts";
import type { RunningAction } from "./running.ts";

/** A grant as scripts of the compatible API ask for one. */
interface AskedGrant {
  readonly projectId: string;
  readonly projectGrantId?: string;
  readonly roles: readonly string[];
}

/** Reads a grant that a script asks for; undefined where it is none. */
function readAskedGrant(value: unknown): AskedGrant | undefined {
  const { projectID, projectGrantID, ...more } = Object(value);
  const { projectId = projectID, projectGrantId = projectGrantID, roles } = more;
  const isText = (one: unknown) => typeof one === "string" && one !== "";
  if (!isText(projectId) || !Array.isArray(roles) || !roles.every(isText)) return undefined;
  if (roles.length === 0 || roles.length > grantLimits.rolesOfGrant) return undefined;
  return { projectId, roles, ...(isText(projectGrantId) ? { projectGrantId } : {}) };
}

type Parts = Pick<ProviderParts, "execute" | "log" | "newId" | "store">;

/**
 * Grants a person roles that an action asks for. The person's organization has to be able to give
 * them: what is of another is refused, as it is in a call.
 */
export async function grantRoles(
  parts: Parts,
  { subject, running }: { readonly subject: FoundUser; readonly running: RunningAction },
  effects: readonly Effect[],
): Promise<void> {
  for (const { value } of effects) {
    const asked = readAskedGrant(value);
    const reason = asked ? await grantOne(parts, subject, { id: running.id, asked }) : "INVALID";
    if (reason === undefined) continue;
    const told = { actionId: running.id, userId: subject.userId, reason };
    parts.log.warn(told, "an action granted nothing");
  }
}

async function grantOne(
  { execute, newId, store }: Parts,
  { userId, state: { organization } }: FoundUser,
  { id, asked }: { readonly id: string; readonly asked: AskedGrant },
): Promise<Rejection["reason"] | undefined> {
  const { projectId, roles, projectGrantId } = asked;
  const by = projectGrantId === undefined ? {} : { projectGrantId };
  const { roleIds, refs } = await rolesWith(store, projectId, roles);
  const given = { organization, userId, projectId, roleIds, ...by };
  const outcome = await execute({
    actor: handOfAction(id),
    writes: {
      user: { noun: user, id: userId },
      grant: { noun: grant, id: newId(), owner: organization, isNew: true },
    },
    relies: { ...refs, ...refsBy(by), project: { noun: project, id: projectId } },
    groups: { held: { noun: grant, ...grantsOf(userId) } },
    decide: (states) => addGrantByAction(states, given),
  });
  if (outcome.kind === "done") return undefined;
  return outcome.kind === "rejected" ? outcome.rejection.reason : "CONFLICT";
}
