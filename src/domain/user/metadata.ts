import type { ClaimGroup } from "../../event.ts";
import { accept, type Decision, reject, rejectFields, type Violation } from "../decision.ts";
import { keyProblem } from "../name.ts";
import { type Noun, unknownEvent } from "../noun.ts";
import { type Acted, type ActedUser, type Acting, refuseActing } from "./state/acting.ts";
import type { MetadataErased } from "./status.ts";

/** What somebody keeps with a user, which the service does not read: a key with a value. */
export type MetadataEvent =
  | { readonly type: "user.metadata.set"; readonly payload: MetadataState }
  | MetadataErased;

/** One key of a user. */
export interface MetadataState {
  readonly userId: string;
  readonly key: string;
  /** As base64. */
  readonly value: string;
}

/** The bounds on the metadata of users. */
export const metadataLimits = { keysOfUser: 50, valueBytes: 4_096 } as const;

/** The noun of one key of a user. No read of a user loads it. */
export const metadata: Noun<MetadataState, MetadataEvent> = {
  kind: "metadata",
  events: {
    "user.metadata.set": "A key of the metadata of a user got a value, in base64",
    "user.metadata.erased":
      "The key was removed, and what its events had said was erased; it may be set again",
  },
  secrets: [],
  evolve(_state, event) {
    switch (event.type) {
      case "user.metadata.set":
        return event.payload;
      case "user.metadata.erased":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ userId, key }) => [{ ...metadataOf(userId), value: key }],
  row: ({ userId, key }) => ({ parent: userId, fields: { key } }),
};

/** The claims of which each key of a user holds one. */
export function metadataOf(userId: string): ClaimGroup {
  return { kind: "metadata.key", scope: userId };
}

/** A decision on a key of a user. */
export type MetadataDecision = Decision<{ metadata?: readonly MetadataEvent[] }>;

/** A key of a user, with the user and the caller. */
export type ActingOnMetadata = Acting & { readonly metadata: MetadataState | undefined };

/** Gives a key a value, where the user has room for it: the number of its keys is `held`. */
export function setMetadata(
  { metadata: state, held, ...acting }: ActingOnMetadata & { readonly held: number },
  { userId, key, value, ...acted }: ActedUser & MetadataState,
): MetadataDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  return giveValue({ metadata: state, held }, { userId, key, value });
}

function giveValue(
  {
    metadata: state,
    held,
  }: { readonly metadata: MetadataState | undefined; readonly held: number },
  { userId, key, value }: MetadataState,
): MetadataDecision {
  if (state?.value === value) return reject("NOTHING_CHANGED");
  const { keysOfUser: most } = metadataLimits;
  if (state === undefined && held >= most) {
    return reject("LIMIT_REACHED", `The user has ${most} keys of metadata: remove one first.`);
  }
  return accept({ metadata: [{ type: "user.metadata.set", payload: { userId, key, value } }] });
}

/** The same by an action that runs for the user. */
export function setMetadataByAction(
  states: Pick<ActingOnMetadata, "metadata" | "user"> & { readonly held: number },
  { organization, ...payload }: Acted & MetadataState,
): MetadataDecision {
  if (states.user?.organization !== organization) return reject("USER_NOT_FOUND");
  const { key, value } = payload;
  const bytes = (value.length / 4) * 3 - (/=*$/.exec(value)?.[0].length ?? 0);
  const broken = actionViolation(key, bytes);
  return broken === undefined ? giveValue(states, payload) : rejectFields([broken]);
}

/** What an action's key, and its value of so many bytes, break: no contract looks at them. */
function actionViolation(key: string, bytes: number): Violation | undefined {
  if (keyProblem(key) !== undefined) return { field: "key", description: "is not taken" };
  const { valueBytes } = metadataLimits;
  return bytes < 1 || bytes > valueBytes
    ? { field: "value", description: `must have 1 to ${valueBytes} bytes` }
    : undefined;
}

/** What is kept of a value that an action sets: a text as it is, and anything else as JSON. */
export function metadataText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const encoder = new TextEncoder();

/** Whether an action may set a key to a value, as far as those two say. */
export function mayBeMetadata(key: string, value: unknown): boolean {
  return actionViolation(key, encoder.encode(metadataText(value)).length) === undefined;
}

/** Removes a key. */
export function removeMetadata(
  { metadata: state, ...acting }: ActingOnMetadata,
  acted: ActedUser,
): MetadataDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  if (state === undefined) return reject("USER_METADATA_NOT_FOUND");
  return accept({ metadata: [{ type: "user.metadata.erased", payload: {} }] });
}
