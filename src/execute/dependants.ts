import { action } from "../domain/action.ts";
import { appsOf } from "../domain/app/app.ts";
import {
  type Dependant,
  type DependantKind,
  dependantNouns,
  type Removed,
} from "../domain/dependants.ts";
import { flow, flowsWith } from "../domain/flow.ts";
import { grant, grantsBy, grantsOf, grantsOfGroup, grantsOn, grantsWith } from "../domain/grant.ts";
import { group } from "../domain/group.ts";
import { idp, parentsFor } from "../domain/idp.ts";
import { idOf, type Noun } from "../domain/noun.ts";
import { labelPolicy } from "../domain/policy/label.ts";
import { loginPolicy, namingOf } from "../domain/policy/login.ts";
import { privacyPolicy } from "../domain/policy/privacy.ts";
import { project } from "../domain/project.ts";
import { projectGrantsOf, projectGrantsTo, projectGrantsWith } from "../domain/project-grant.ts";
import { rolesIn } from "../domain/role.ts";
import { metadataOf } from "../domain/user/metadata.ts";
import { membersFromBeyond } from "../domain/user/state/beyond.ts";
import { membersOfPlace } from "../domain/user/state/held-roles.ts";
import { membersOf } from "../domain/user/state/joined.ts";
import { user } from "../domain/user/state/user.ts";
import type { ClaimGroup, NewEvent } from "../event.ts";
import type { Cursor } from "../store/query.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { type Groups, groupMax, type Refs } from "./command.ts";

/** What ends with something in one append, and what the command has to load for it. */
export interface Dependants {
  readonly dependants: readonly Dependant[];
  readonly writes: Refs;
  readonly groups: Groups;
}

/** The bounds on what ends with something. */
export const dependantLimits = {
  /** What ends in one append. */
  atOnce: groupMax,
} as const;

/**
 * Finds what ends with something that is removed, at most so much, and each thing behind what
 * belongs to it: nothing where all has ended. Rejects with `StoreUnavailable` where a list takes
 * too long.
 */
export async function findDependants(
  store: Pick<Store, "list" | "holders">,
  removed: Removed,
  atOnce: number = dependantLimits.atOnce,
): Promise<Dependants> {
  const dependants: Dependant[] = [];
  const groups: { [name: string]: Groups[string] } = {};
  const room = () => atOnce - dependants.length;
  const take = (kind: DependantKind, streams: readonly string[]) => {
    dependants.push(...streams.map((stream) => ({ stream, kind })));
  };

  /** Takes those that hold such claims; undefined where there is no room for all. */
  async function takeAll({ kind, claims }: Held): Promise<readonly string[] | undefined> {
    if (room() <= 0) return undefined;
    const { streams, total } = await store.holders(claims, room());
    take(kind, streams);
    return total > streams.length ? undefined : streams;
  }

  async function takeWhole(stream: string, { kind, noun, partsOf }: Whole): Promise<void> {
    const parts: NonNullable<Dependant["parts"]>[number][] = [];
    for (const held of partsOf(idOf(noun, stream))) {
      const streams = await takeAll(held);
      if (streams === undefined) return;
      const group = `${held.kind} of ${stream}`;
      groups[group] = { noun: dependantNouns[held.kind], ...held.claims };
      parts.push({ group, streams });
    }
    if (room() > 0) dependants.push({ stream, kind, parts });
  }

  async function takeOrganization(organization: string): Promise<void> {
    const list = async (noun: Noun<unknown, NewEvent>, parents: readonly string[]) =>
      room() > 0 ? await listStreams(store, noun, parents, organization, room()) : [];
    for (const [noun, kind, parents] of alone(organization)) take(kind, await list(noun, parents));
    await takeAll({ kind: "member", claims: membersFromBeyond(organization) });
    await takeAll({ kind: "projectGrant", claims: projectGrantsTo(organization) });
    for (const whole of wholes) {
      for (const stream of await list(whole.noun, [organization])) await takeWhole(stream, whole);
    }
  }

  if (removed.kind === "org") await takeOrganization(removed.id);
  else for (const held of heldBy(removed)) await takeAll(held);

  const refs = dependants.map(({ stream, kind }) => {
    const noun = dependantNouns[kind];
    return [stream, { noun, id: idOf(noun, stream), isEnding: true }] as const;
  });
  return { dependants, writes: Object.fromEntries(refs), groups };
}

/** What is found by the claims that it holds. */
interface Held {
  readonly kind: DependantKind;
  readonly claims: ClaimGroup;
}

/** What rests on a project, a project grant, a role, a group, an action, a provider or a user. */
function heldBy({ kind, id }: Removed): readonly Held[] {
  switch (kind) {
    case "role":
      return [
        { kind: "holder", claims: grantsWith(id) },
        { kind: "projectHolder", claims: projectGrantsWith(id) },
      ];
    case "projectGrant":
      return [{ kind: "grant", claims: grantsBy(id) }];
    case "group":
      return [...partsOfGroup(id), { kind: "grouped", claims: membersOf(id) }];
    case "action":
      return [{ kind: "flowing", claims: flowsWith(id) }];
    case "idp":
      return [{ kind: "naming", claims: namingOf(id) }];
    case "user":
      return [{ kind: "grant", claims: grantsOf(id) }];
    default:
      // Members first: their roles count until they are removed, the rest not without the project.
      return [{ kind: "projectMember", claims: membersOfPlace(id) }, ...partsOfProject(id)];
  }
}

function partsOfGroup(id: string): readonly Held[] {
  return [{ kind: "grant", claims: grantsOfGroup(id) }];
}

function partsOfProject(id: string): readonly Held[] {
  return [
    { kind: "app", claims: appsOf(id) },
    { kind: "grant", claims: grantsOn(id) },
    { kind: "projectGrant", claims: projectGrantsOf(id) },
    { kind: "role", claims: rolesIn(id) },
  ];
}

/** What nothing belongs to, with the parents under which it is listed. */
function alone(
  organization: string,
): readonly (readonly [Noun<unknown, NewEvent>, DependantKind, readonly string[]])[] {
  return [
    [idp, "idp", parentsFor(organization)],
    // In front of the actions that are in it, so that it is never without them.
    [flow, "flow", [organization]],
    [action, "action", [organization]],
    [grant, "grant", [organization]],
    [labelPolicy, "labelPolicy", [organization]],
    [loginPolicy, "loginPolicy", [organization]],
    [privacyPolicy, "privacyPolicy", [organization]],
  ];
}

/** A kind of which each has parts. */
interface Whole {
  readonly kind: DependantKind;
  readonly noun: Noun<unknown, NewEvent>;
  partsOf(id: string): readonly Held[];
}

const wholes: readonly Whole[] = [
  // Grants of users of the organization are found by that, too, and count twice. Members of its
  // projects are its own users, or members from beyond.
  { ...{ kind: "project", noun: project }, partsOf: partsOfProject },
  // Its members are found by their organization.
  { ...{ kind: "group", noun: group }, partsOf: partsOfGroup },
  {
    ...{ kind: "user", noun: user },
    partsOf: (id) => [{ kind: "metadata", claims: metadataOf(id) }],
  },
];

/** The streams of objects under the parents that the organization owns, at most so many. */
async function listStreams(
  { list }: Pick<Store, "list">,
  { kind }: Noun<unknown, NewEvent>,
  parents: readonly string[],
  organization: string,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: Cursor | undefined; ; ) {
    const page = await list({ kind, parents, ...(after ? { after } : {}), offset: 0, limit });
    if (page === undefined) throw new StoreUnavailable("the list took too long");
    const owned = page.objects.filter(({ owner }) => owner === organization);
    found.push(...owned.map(({ stream }) => stream));
    after = page.end;
    if (after === undefined || found.length >= limit) return found.slice(0, limit);
  }
}
