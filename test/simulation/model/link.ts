import type { RecordedEvent } from "../../../src/event.ts";
import { digestOf, firstLink, linkOf } from "../../../src/store/chain/link.ts";
import { erasedPayload } from "../../../src/store/erasure.ts";
import type { Database } from "./database.ts";

/** The id of every log of the model. */
export const log = "of-the-model";

/** Of events that are there, or were: what lies before one never becomes something else. */
const links = new WeakMap<RecordedEvent, Uint8Array>();

/** The link of an event. Nobody has a key to it, and no event has a salt. */
export function linkAt({ events }: Database, position: bigint): Uint8Array | undefined {
  const at = Number(position) - 1;
  if (events[at] === undefined) return undefined;
  // Most are asked for soon after they were made, so there is little to catch up with.
  let known = at;
  while (known >= 0 && links.get(events[known] as RecordedEvent) === undefined) known -= 1;
  let link = known < 0 ? firstLink : (links.get(events[known] as RecordedEvent) ?? firstLink);
  for (const event of events.slice(known + 1, at + 1)) {
    const digest = digestOf(log, event, new Uint8Array());
    link = linkOf(link, event.position, digest, new Uint8Array());
    links.set(event, link);
  }
  return link;
}

/** Erases the payload of an event, whose link stays; answers what it is then. */
export function eraseIn(db: Database, event: RecordedEvent): RecordedEvent {
  const erased = { ...event, payload: erasedPayload };
  links.set(erased, linkAt(db, event.position) ?? firstLink);
  db.events[Number(event.position) - 1] = erased;
  return erased;
}
