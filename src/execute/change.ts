import { quotasOf, type SendLimits } from "../domain/sending.ts";
import type { Claim, Envelope, NewEvent } from "../event.ts";
import { claimKey } from "../store/claim-key.ts";
import type { NewMessage } from "../store/message.ts";
import type { Change } from "../store/store.ts";
import type { LoadedStream } from "./load.ts";
import { type Through, writePayload } from "./payload.ts";
import { askedBy, projectObject } from "./projection.ts";

/** What an append makes of a stream by the events that a decision wants recorded there. */
export function changeOf(
  { ref, stored, state: before }: LoadedStream,
  events: readonly NewEvent[],
  { actor, timeMs, through }: Omit<Envelope, "owner"> & Through,
  limits: SendLimits,
): Change {
  const owner = stored.version === 0 ? ref.owner : stored.owner;
  if (owner === undefined) throw new TypeError(`no owner was given for the new ${stored.stream}`);
  let after = before;
  const messages: NewMessage[] = [];
  for (const [index, event] of events.entries()) {
    // A replay, which reads the payload from its text, comes to the same: that is a law of nouns.
    after = ref.noun.evolve(after, { ...event, owner, actor, timeMs });
    for (const asked of askedBy(ref.noun, event, after)) {
      messages.push({ event: index, field: asked.field, quotas: quotasOf(asked, owner, limits) });
    }
  }
  const { state, row, claims } = projectObject(ref.noun, after);
  const held = before === undefined ? [] : ref.noun.claims(before);
  return {
    stream: stored.stream,
    expected: stored.version,
    owner,
    events: events.map(({ type, payload }) => ({
      type,
      payload: writePayload(payload, { through }),
    })),
    state,
    row,
    take: difference(claims, held),
    release: difference(held, claims),
    messages,
    settles: events.flatMap((event) => ref.noun.settles?.(event) ?? []),
  };
}

function difference(claims: readonly Claim[], without: readonly Claim[]): readonly Claim[] {
  if (without.length === 0) return claims;
  const keys = new Set(without.map(claimKey));
  return claims.filter((claim) => !keys.has(claimKey(claim)));
}
