import { setTimeout as pause } from "node:timers/promises";
import { createCheck, type LogIdentity } from "../chain/chain.ts";
import { Forged } from "../chain/forged.ts";
import { createStateMac } from "../chain/state.ts";
import { walkChain } from "./chain.ts";
import { inDatabase } from "./database.ts";
import { postgresLimits } from "./limits.ts";
import type { Connection } from "./pool.ts";
import { type ObjectColumns, objectColumns, prepareObjects } from "./row.ts";
import { toStored } from "./text.ts";

/** Who hears what a check comes to. */
interface Hear {
  /** Is told of each damage. */
  report(damage: string): void;
  /** Is told, where it rests, how many events were looked at. */
  count(events: number): void;
}

/** How a check is gone about. */
interface Pace {
  /** The part of a core that it takes at most. */
  readonly share: number;
}

/**
 * Checks the chain of the log in a database up to where it ends, and then that each object is as it
 * was written, in short pieces with long rests, on a connection of its own. Rejects with
 * `StoreUnavailable` where the database cannot be read, and where it was stopped.
 */
export function startCheck(
  url: string,
  identity: LogIdentity,
  { report, count }: Hear,
  { share }: Pace,
): { readonly checked: Promise<{ readonly events: number }>; stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function check(connection: Connection): Promise<{ readonly events: number }> {
    const { checkedAtOnce } = postgresLimits;
    let events = 0;
    const rest = async (sinceMs: number) => {
      count(events);
      const tookMs = performance.now() - sinceMs;
      await pause((tookMs * (1 - share)) / share, undefined, { signal });
    };
    const part = { after: 0n, eventsAtOnce: checkedAtOnce };
    let sinceMs = performance.now();
    for await (const piece of walkChain(connection, createCheck(identity), part)) {
      events += piece.events;
      for (const damage of piece.damages) report(damage);
      await rest(sinceMs);
      sinceMs = performance.now();
    }
    for await (const damages of walkObjects(connection, identity, checkedAtOnce)) {
      for (const damage of damages) report(damage);
      await rest(sinceMs);
      sinceMs = performance.now();
    }
    return { events };
  }

  const checked = inDatabase(url, check);
  return {
    checked,
    stop: async () => {
      stopping.abort();
      await checked.catch(() => {});
    },
  };
}

/** What is wrong with the objects, so many at once. */
async function* walkObjects(
  connection: Connection,
  identity: LogIdentity,
  atOnce: number,
): AsyncGenerator<readonly string[]> {
  const toObject = prepareObjects(createStateMac(identity));
  const faultOf = (columns: ObjectColumns) => {
    try {
      toObject(columns);
      return [];
    } catch (error) {
      if (error instanceof Forged) return [error.message];
      throw error;
    }
  };
  let after = toStored("");
  for (let isMore = true; isMore; ) {
    const rows = await connection.query<ObjectColumns>(
      `SELECT ${objectColumns("o.stream")} FROM iam.objects o WHERE o.stream > $1
         ORDER BY o.stream LIMIT $2`,
      [after, atOnce],
    );
    after = rows.at(-1)?.stream ?? after;
    isMore = rows.length === atOnce;
    yield rows.flatMap(faultOf);
  }
}
