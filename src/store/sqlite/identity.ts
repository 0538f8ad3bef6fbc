import type Database from "better-sqlite3";
import {
  type Check,
  createCheck,
  createSeal,
  type LogIdentity,
  type Seal,
} from "../chain/chain.ts";
import { type BegunLog, logStream } from "../chain/keys.ts";
import { firstLink } from "../chain/link.ts";
import { createStateMac, type StateMac } from "../chain/state.ts";
import type { Opening } from "../opening.ts";
import type { Projector } from "../projector.ts";
import { assertNoStrangers } from "../strangers.ts";
import { retryWhileBusy } from "./connection.ts";
import { changed, prepareEnd } from "./end.ts";
import { idIn, ownEvents } from "./id.ts";
import type { SqliteLimits } from "./limits.ts";
import { assertNotNewer } from "./rebuild.ts";
import { hasTable, migrate } from "./schema.ts";
import { strangersIn } from "./tables.ts";

/** What is needed to open a log. */
interface OpenOptions extends Pick<Opening<SqliteLimits>, "keys" | "random"> {
  readonly projector: Projector;
  readonly limits: SqliteLimits;
}

/**
 * Answers the identity of a log; one that has none gets its tables and its identity. Throws where
 * somebody else has changed the tables, or put a trigger or a constraint beside them.
 */
export async function openIdentity(
  db: Database.Database,
  { projector, keys, random, limits }: OpenOptions,
): Promise<LogIdentity & { readonly seal: Seal; readonly macOf: StateMac; readonly check: Check }> {
  await retryWhileBusy(limits, () => assertNotNewer(db, projector));
  // One moment: others may begin the log meanwhile.
  const look = db.transaction(() => ({ known: idToGoOn(db), strangers: strangersIn(db) }));
  const { known, strangers } = await retryWhileBusy(limits, () => look());
  assertNoStrangers(strangers.map(({ said }) => said));
  const begun = known === undefined ? await keys.begin() : undefined;
  if (begun !== undefined) {
    const write = db.transaction(() => {
      migrate(db);
      if (idIn(db) === undefined) begin(db, begun, random);
    });
    await retryWhileBusy(limits, () => write.immediate());
  }
  const id = idIn(db);
  if (id === undefined) throw new Error(`${db.name} has no identity.`);
  const key = begun?.id === id ? begun.key : await keys.open(id, ownEvents(db, id));
  const identity = { id, key };
  const seal = createSeal(identity, random);
  return { ...identity, seal, check: createCheck(identity), macOf: createStateMac(identity) };
}

/** The id of the log, undefined where it has yet to begin. Throws where it has events and none. */
function idToGoOn(db: Database.Database): string | undefined {
  const id = idIn(db);
  if (id !== undefined || !hasTable(db, "events")) return id;
  if (db.prepare("SELECT 1 FROM events").get() === undefined) return undefined;
  throw changed("its head is not that of its last event");
}

function begin(
  db: Database.Database,
  { id, key, event }: BegunLog,
  random: OpenOptions["random"],
): void {
  db.prepare("INSERT INTO head VALUES (?, 0, ?)").run(id, firstLink);
  const end = prepareEnd(db, {
    seal: createSeal({ id, key }, random),
    check: createCheck({ id, key }),
  });
  if (event !== undefined) end.record([{ ...event, stream: logStream(id), version: 1 }]);
  end.save();
}
