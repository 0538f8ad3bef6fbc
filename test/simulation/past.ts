import { nounOf } from "../../src/domain/nouns.ts";
import type { ClaimGroup, NewEvent, RecordedEvent } from "../../src/event.ts";
import { claimKey } from "../../src/store/claim-key.ts";
import type { Commit } from "./server.ts";

/** The log as it was after each of its commits, folded from events alone. */
export interface Past {
  /** The state of a stream after so many commits. */
  stateOf(stream: string, commits: number): unknown;
  /** The streams that held claims of a group, by name. */
  holdersOf(group: ClaimGroup, commits: number): readonly string[];
  /** The stream that held a claim. */
  holderOf(key: string, commits: number): string | undefined;
}

export function createPast(commits: readonly Commit[]): Past {
  /** The states of each stream, with the number of commits after which each was there. */
  const states = new Map<string, { readonly from: number; readonly state: unknown }[]>();
  for (const [index, { events }] of commits.entries()) {
    for (const event of events) {
      const all = states.get(event.stream) ?? [];
      states.set(event.stream, all);
      const state = evolve(all.at(-1)?.state, event);
      all.push({ from: index + 1, state });
    }
  }

  const stateOf = (stream: string, count: number) =>
    states.get(stream)?.findLast(({ from }) => from <= count)?.state;
  const claimsAt = (stream: string, count: number) => {
    const state = stateOf(stream, count);
    return state === undefined ? [] : nounOf(stream).claims(state);
  };
  const streams = () => [...states.keys()];
  return {
    stateOf,
    holdersOf: ({ kind, scope }, count) =>
      streams()
        .filter((stream) =>
          claimsAt(stream, count).some((claim) => claim.kind === kind && claim.scope === scope),
        )
        .sort(),
    holderOf: (key, count) =>
      streams().find((stream) => claimsAt(stream, count).some((claim) => claimKey(claim) === key)),
  };
}

/** The state after an event, as a replay has it. */
export function evolve(state: unknown, event: RecordedEvent): unknown {
  const payload = JSON.parse(event.payload) as NewEvent["payload"];
  return plain(nounOf(event.stream).evolve(state, { ...event, payload }));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
