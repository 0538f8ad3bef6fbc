import type { Check } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import type { Connection } from "./pool.ts";
import { type SealedColumns, sealedColumns, toSealed } from "./row.ts";

interface Part {
  /** The position behind which it begins. */
  readonly after: bigint;
  readonly eventsAtOnce: number;
}

/** What a look at some events came to. */
interface Piece {
  readonly events: number;
  /** What is wrong, as a sentence each. */
  readonly damages: readonly string[];
}

/** Rejects at the first event behind a position that is missing, or not what was appended. */
export async function assertChain(connection: Connection, check: Check, part: Part): Promise<void> {
  for await (const { damages } of walkChain(connection, check, part)) {
    const [damage] = damages;
    if (damage !== undefined) throw new Error(`The ${damage}: put a backup in its place.`);
  }
}

/** Looks at the events behind a position, so many at once, up to where they end by then. */
export async function* walkChain(
  connection: Connection,
  check: Check,
  { after, eventsAtOnce }: Part,
): AsyncGenerator<Piece> {
  let last = after;
  let previous: Uint8Array | undefined = after === 0n ? firstLink : undefined;
  for (let isMore = true; isMore; ) {
    const rows = await connection.query<SealedColumns>(
      `SELECT ${sealedColumns} FROM iam.events e WHERE e.position > $1
         ORDER BY e.position LIMIT $2`,
      [last, eventsAtOnce],
    );
    const damages: string[] = [];
    for (const event of rows.map(toSealed)) {
      const { position, link } = event;
      const isNext = position === last + 1n;
      if (!isNext) damages.push(`event at position ${last + 1n} is missing`);
      // What an event behind a gap follows cannot be known.
      const [wrong] = check(event, isNext ? previous : undefined);
      if (wrong !== undefined) {
        damages.push(`event at position ${position} is not what was appended (its ${wrong})`);
      }
      last = position;
      previous = link;
    }
    isMore = rows.length === eventsAtOnce;
    yield { events: rows.length, damages };
  }
}
