import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../event.ts";
import { payloadHash } from "../chain/link.ts";
import { erasedPayload, erasesAll, erasureOf, isErased } from "../erasure.ts";

/** Events that are held at once, with their payloads, while a stream of any length is erased. */
const sayingsAtOnce = 100;

/** What an event says, with what hides it. */
interface Saying {
  readonly position: number;
  readonly version: number;
  readonly type: string;
  readonly payload: string;
  readonly salt: Uint8Array;
}

/** Makes the function that erases, inside a transaction, the payloads that an event erases. */
export function prepareErase(db: Database.Database): (by: RecordedEvent) => void {
  const sayings = db.prepare<[string, number], Saying>(
    `SELECT position, version, type, payload, salt FROM events
     WHERE stream = ? AND version < ? ORDER BY version DESC LIMIT ${sayingsAtOnce}`,
  );
  /** From the last on, and no further than to what had erased all before it. */
  function* sayingsBefore({ stream, version }: RecordedEvent): Generator<Saying> {
    for (let before = version; before > 1; ) {
      const read = sayings.all(stream, before);
      for (const saying of read) {
        yield saying;
        if (erasesAll(saying.type)) return;
      }
      before = read.at(-1)?.version ?? 1;
    }
  }
  const erase = db.prepare("UPDATE events SET payload = ?, salt = ? WHERE position = ?");
  return (by) => {
    const erases = erasureOf(by);
    for (const saying of sayingsBefore(by)) {
      if (isErased(saying) || !erases(saying)) continue;
      const { position, payload, salt } = saying;
      erase.run(erasedPayload, Buffer.from(payloadHash(salt, payload), "hex"), position);
    }
  };
}
