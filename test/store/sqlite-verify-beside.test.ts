import { statSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { isFull } from "../harness/extent.ts";
import { eventsOf, record, things } from "./fixture.ts";
import { verified } from "./sqlite-damage.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

// A verification beside a service that writes.

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

/** From this on the WAL is checkpointed. In full, what is written is many times that. */
const checkpointBytes = 2 * 1024 * 1024;
/** A text that is in the payload, the state and the field of each event that has it. */
const name = "x".repeat(100_000);
const [atFirst, changes] = [100, isFull ? 120 : 12];

test("finds nothing while others append, and keeps no WAL", async () => {
  const store = await place.open(things(), { checkpointBytes });
  const made = Array.from({ length: atFirst }, (_, each) => `thing-${each}`);
  for (const stream of made) eventsOf(await record(store, stream, [["added", { name: stream }]]));
  let isOver = false;

  /** Old streams change, are removed and come anew; others begin, in front and at the end. */
  async function append(): Promise<void> {
    for (let each = 0; each < changes; each += 1) {
      const old = `thing-${each % atFirst}`;
      await record(store, old, [["renamed", { name: `${name} ${each}` }]]);
      await record(store, `a-${each}`, [
        ["added", { name: `a ${each}` }],
        ["asked", {}],
      ]);
      await record(store, `z-${each}`, [["added", { name: `z ${each}` }]]);
      if (each % 3 === 0) await record(store, old, [["removed", {}]]);
    }
    isOver = true;
  }

  async function verify(): Promise<void> {
    for (let after = atFirst; !isOver; ) {
      const found = await verified(place.path, things(), { pieceMs: 0 });
      expect(found).toMatchObject({ lines: [], unchecked: undefined });
      expect(found.events).toBeGreaterThanOrEqual(after);
      after = found.events;
    }
  }

  await Promise.all([verify(), append()]);
  // A read of a busy machine may last for several checkpoints.
  if (isFull) expect(statSync(`${place.path}-wal`).size).toBeLessThan(16 * checkpointBytes);
});
