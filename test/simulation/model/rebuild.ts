import { claimKey } from "../../../src/store/claim-key.ts";
import type { Projector } from "../../../src/store/projector.ts";
import { type Database, messageKey } from "./database.ts";

/** Makes all that follows from the log anew where it was made with a lower revision. */
export function bringUpToDate(db: Database, { revision, project }: Projector): void {
  const stored = db.revision ?? revision;
  if (stored > revision) {
    throw new Error(
      `It has objects of projection revision ${stored}: use the newer version of the program that wrote it.`,
    );
  }
  db.revision = revision;
  if (stored === revision) return;
  const pending = new Map(db.messages);
  for (const table of [db.objects, db.claims, db.messages, db.answers]) table.clear();
  for (const [stream, events] of db.streams) {
    const { state, row, claims, messages } = project(events);
    const [first, last] = [events[0]!, events.at(-1)!];
    const { version, owner, position } = last;
    const times = { createdMs: first.timeMs, changedMs: last.timeMs };
    const object = { stream, version, owner, state, ...times, position };
    db.objects.set(stream, { ...object, row, first: first.position });
    for (const claim of claims) {
      const key = claimKey(claim);
      if (db.claims.has(key)) throw new Error(`${stream} claims what another holds: ${key}`);
      db.claims.set(key, { ...claim, stream });
    }
    for (const message of messages) {
      const key = messageKey(message);
      const { timeMs } = db.events[Number(message.position) - 1]!;
      const fresh = { ...message, dueMs: timeMs, sinceMs: timeMs, attempts: 0 };
      db.messages.set(key, pending.get(key) ?? fresh);
    }
  }
}
