import type { Check } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import type { Connection } from "./pool.ts";
import { type SealedColumns, sealedColumns, toSealed } from "./row.ts";

interface Part {
  /** The position behind which it begins. */
  readonly after: bigint;
  readonly eventsAtOnce: number;
}

/**
 * Rejects at the first event behind a position that is missing, or not what was appended.
 */
export async function assertChain(
  connection: Connection,
  check: Check,
  { after, eventsAtOnce }: Part,
): Promise<void> {
  let last = after;
  let previous: Uint8Array | undefined = after === 0n ? firstLink : undefined;
  for (;;) {
    const rows = await connection.query<SealedColumns>(
      `SELECT ${sealedColumns} FROM iam.events e WHERE e.position > $1
         ORDER BY e.position LIMIT $2`,
      [last, eventsAtOnce],
    );
    for (const event of rows.map(toSealed)) {
      if (event.position !== last + 1n) throw damage(last + 1n, "is missing");
      const [wrong] = check(event, previous);
      if (wrong !== undefined) {
        throw damage(event.position, `is not what was appended (its ${wrong})`);
      }
      last = event.position;
      previous = event.link;
    }
    if (rows.length < eventsAtOnce) return;
  }
}

function damage(position: bigint, what: string): Error {
  return new Error(`The event at position ${position} ${what}: put a backup in its place.`);
}
