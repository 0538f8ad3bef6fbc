import { action } from "../domain/action.ts";
import { appsOf } from "../domain/app/app.ts";
import { idp, parentsFor } from "../domain/idp.ts";
import { idOf, type Noun } from "../domain/noun.ts";
import { type Dependant, type DependantKind, dependantNouns } from "../domain/org-removal.ts";
import { labelPolicy } from "../domain/policy/label.ts";
import { loginPolicy } from "../domain/policy/login.ts";
import { privacyPolicy } from "../domain/policy/privacy.ts";
import { project } from "../domain/project.ts";
import { membersFromBeyond } from "../domain/user/beyond.ts";
import { metadataOf } from "../domain/user/metadata.ts";
import { user } from "../domain/user/user.ts";
import type { ClaimGroup, NewEvent } from "../event.ts";
import type { Cursor } from "../store/query.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { type Groups, groupMax, type Refs } from "./command.ts";

/** What ends with an organization in one append, and what the command has to load for it. */
export interface Dependants {
  readonly dependants: readonly Dependant[];
  readonly writes: Refs;
  readonly groups: Groups;
}

/** The bounds on what ends with an organization. */
export const dependantLimits = {
  /** What ends in one append. */
  atOnce: groupMax,
} as const;

/**
 * Finds what ends with an organization, at most so much, and each thing behind what belongs to it:
 * nothing where all has ended. Rejects with `StoreUnavailable` where a list takes too long.
 */
export async function findDependants(
  store: Pick<Store, "list" | "holders">,
  organization: string,
  atOnce: number = dependantLimits.atOnce,
): Promise<Dependants> {
  const dependants: Dependant[] = [];
  const groups: { [name: string]: Groups[string] } = {};
  const room = () => atOnce - dependants.length;
  const take = (kind: DependantKind, streams: readonly string[]) => {
    dependants.push(...streams.map((stream) => ({ stream, kind })));
  };

  async function takeWhole({ kind, noun, part, partsOf }: Whole): Promise<void> {
    if (room() <= 0) return;
    for (const stream of await listStreams(store, noun, [organization], organization, room())) {
      if (room() <= 0) return;
      const claims = partsOf(idOf(noun, stream));
      const { streams, total } = await store.holders(claims, room());
      take(part, streams);
      if (total > streams.length || room() <= 0) return;
      const group = `parts of ${stream}`;
      groups[group] = { noun: dependantNouns[part], ...claims };
      dependants.push({ stream, kind, parts: { group, streams } });
    }
  }

  for (const [noun, kind, parents] of alone(organization)) {
    if (room() > 0) take(kind, await listStreams(store, noun, parents, organization, room()));
  }
  if (room() > 0) {
    take("member", (await store.holders(membersFromBeyond(organization), room())).streams);
  }
  for (const whole of wholes) await takeWhole(whole);

  const refs = dependants.map(({ stream, kind }) => {
    const noun = dependantNouns[kind];
    return [stream, { noun, id: idOf(noun, stream) }] as const;
  });
  return { dependants, writes: Object.fromEntries(refs), groups };
}

/** What nothing belongs to, with the parents under which it is listed. */
function alone(
  organization: string,
): readonly (readonly [Noun<unknown, NewEvent>, DependantKind, readonly string[]])[] {
  return [
    [idp, "idp", parentsFor(organization)],
    [action, "action", [organization]],
    [labelPolicy, "labelPolicy", [organization]],
    [loginPolicy, "loginPolicy", [organization]],
    [privacyPolicy, "privacyPolicy", [organization]],
  ];
}

/** A kind of which each has parts. */
interface Whole {
  readonly kind: DependantKind;
  readonly noun: Noun<unknown, NewEvent>;
  readonly part: DependantKind;
  partsOf(id: string): ClaimGroup;
}

const wholes: readonly Whole[] = [
  { kind: "project", noun: project, part: "app", partsOf: appsOf },
  { kind: "user", noun: user, part: "metadata", partsOf: metadataOf },
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
