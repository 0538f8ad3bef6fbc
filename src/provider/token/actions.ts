import { withAliases } from "../../alias.ts";
import {
  type Claims,
  nothingSet,
  type SetClaims,
  setClaimLimits,
  takeClaims,
  withSet,
} from "../../domain/set-claims.ts";
import { contextForActions, type ToldContext } from "../../domain/user/claims.ts";
import type { MetadataState } from "../../domain/user/metadata.ts";
import { findGrants } from "../base/roles.ts";
import type { FoundUser } from "../base/rows.ts";
import { keepMetadata } from "./action-effects.ts";
import { findMetadata } from "./beyond.ts";
import { type ActionParts, findToldOrganization, runActions } from "./running.ts";

/** A point at which claims are told: before userinfo and its like, or before an access token. */
export type ClaimTrigger = 4 | 5;

/** What is told of a user, and how much actions may add to it. */
export interface Telling {
  readonly subject: FoundUser;
  readonly trigger: ClaimTrigger;
  readonly claims: Claims;
  /** UTF-8 bytes; left out, what the limit of set claims says. */
  readonly bytesMax?: number;
}

/** What actions are told besides, and what those before have set and kept. */
interface Kept {
  readonly given: Pick<ToldContext, "organization" | "grants">;
  readonly taken: SetClaims;
  readonly metadata: readonly MetadataState[];
}

/**
 * The claims that the actions of the user's organization add, which replace none. Refuses where an
 * action fails that may not.
 */
export async function claimsByActions(parts: ActionParts, told: Telling): Promise<Claims> {
  const { subject, trigger, claims } = told;
  const { userId, state } = subject;
  const bytesMax = Math.max(0, Math.min(told.bytesMax ?? Infinity, setClaimLimits.bytes));
  const done = await runActions<Kept>(
    parts,
    { organization: state.organization, flow: 2, trigger },
    {
      async begin() {
        const organization = await findToldOrganization(parts, state.organization);
        const given = { organization, grants: await findGrants(parts, userId) };
        return { given, taken: nothingSet, metadata: await findMetadata(parts, userId) };
      },
      contextOf: ({ given, taken, metadata }) =>
        contextForActions(subject, {
          ...{ ...given, metadata: metadata.map(asText), claims: withSet(claims, taken) },
        }),
      take: async ({ given, taken, metadata }, running, effects) => ({
        given,
        taken: takeClaims(claims, taken, { action: running.state.name, effects }, bytesMax),
        metadata: await keepMetadata(parts, { subject, running, kept: metadata }, effects),
      }),
    },
  );
  return done === undefined ? {} : withAliases(withSet({}, done.taken), parts.alias);
}

function asText({ key, value }: MetadataState) {
  return { key, value: Buffer.from(value, "base64").toString() };
}
