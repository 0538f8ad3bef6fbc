import { randomBytes as random } from "node:crypto";
import { link } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Config, ConfigError } from "../config/config.ts";
import type { SendLimits } from "../domain/sending.ts";
import { removeFile, replace } from "../file.ts";
import { headsOf } from "../log/checkpoint.ts";
import { erasureFile } from "../log/erasure-places.ts";
import { fill } from "../log/fill.ts";
import type { Where } from "../log/find.ts";
import { findLog } from "../log/find.ts";
import { headFile } from "../log/head-places.ts";
import { draftIn, logIn } from "../log/in-file.ts";
import { logKeysFor } from "../log/log-keys.ts";
import { orRefused, printVerification } from "../log/maintain.ts";
import type { LogPlace } from "../log/place.ts";
import { askingWith, projector } from "../log/projector.ts";
import { keyFile } from "../secrets/keys.ts";
import { makeDataDir } from "../start/first-start.ts";
import type { End, KnownEnd, LogIdentity } from "../store/chain/chain.ts";
import { sealHead } from "../store/chain/head.ts";
import type { LogKeys } from "../store/chain/keys.ts";
import type { Filling } from "../store/filling.ts";
import type { ReadLog } from "../store/read-log.ts";
import { fillSqlite } from "../store/sqlite/fill-file.ts";
import { verifySqlite } from "../store/sqlite/verify/verify.ts";
import type { NamedHead } from "../store/verify/chain.ts";
import { assertEmpty, type Says, sayKey } from "./backup.ts";
import { cutLog } from "./cut.ts";

/** Where a copy goes. */
interface Target extends Pick<LogPlace, "name" | "verify"> {
  /** Begins the copy of the log with this id, or goes on with it. */
  fill(id: string): Promise<Filling>;
  /** What has to be put beside the copy before a start; undefined where nothing. */
  readonly beside?: string;
  /** What brings what was written meanwhile as well. */
  readonly again: string;
  /** Has the copy taken for the log from then on, once it is whole. */
  settle(log: LogIdentity & End): Promise<void>;
}

/**
 * Copies the log of the settings to a database, by its URL, or to a data directory, event by event
 * as they were sealed, and verifies both. Cut off at any time, it goes on the next time. With a
 * position, the events up to there are copied alone, and what is wrong with the log refuses nothing
 * (`cut.ts`). Rejects with a ConfigError where the log is damaged, where another one is there, and
 * where that place cannot be read or written.
 */
export async function copyLog(
  config: Where & Pick<Config, "masterKeys" | "anchorUrl"> & SendLimits,
  to: string,
  says: Says,
  until?: bigint,
): Promise<void> {
  const place = await findLog(config);
  const target = await targetOf(to);
  const keys = logKeysFor(config);
  const { say, progress } = says;
  const assertWhole = async ({ name, verify }: Target | LogPlace, heads: readonly NamedHead[]) => {
    const check = (report: (damage: string) => void) => verify({ keys, heads, progress }, report);
    if (await printVerification(name, check, say)) return;
    throw new ConfigError(`The event log ${name} is damaged: see above.`);
  };
  const { heads, source, end } =
    until === undefined
      ? await wholeLog(config, place, keys, assertWhole)
      : await partOfLog(config, place, keys, { until, says });
  try {
    const filling = await orRefused(`${target.name} cannot be created`, target.fill(source.id));
    const finishing = { keys, random, projector, progress, asking: askingWith(config) };
    const name = target.name;
    const count = await fill({ source, filling, name, finishing }).finally(filling.close);
    const copied = { log: end.id, position: end.position, link: end.link, timeMs: Date.now() };
    await assertWhole(target, [...heads, { name: place.name, head: copied }]);
    await target.settle(end);
    say(`Copied ${count} event${count === 1 ? "" : "s"}, to position ${end.position} or later.`);
    say(
      until === undefined
        ? `Events written from now on are missing there: stop the service, then ${target.again}.`
        : `The last event records what was left out. Keep the log ${place.name}: it has those ` +
            "events.",
    );
    if (target.beside !== undefined && config.masterKeys === undefined) say(target.beside);
  } finally {
    await source.close();
  }
}

/** What is copied. */
interface Part {
  readonly source: ReadLog;
  /** Where the copy is to end, or at an event behind that. */
  readonly end: KnownEnd;
  /** The heads that the copy goes on from. */
  readonly heads: readonly NamedHead[];
}

type CopyConfig = Where & Pick<Config, "anchorUrl">;

/** A log that is not damaged. */
async function wholeLog(
  config: CopyConfig,
  place: LogPlace,
  keys: LogKeys,
  assertWhole: (place: LogPlace, heads: readonly NamedHead[]) => Promise<void>,
): Promise<Part> {
  const { heads } = await headsOf(config, place, keys, (damage) => {
    throw new ConfigError(damage);
  });
  await assertWhole(place, heads);
  const end = await orRefused(`${place.name} cannot be read`, place.readEnd(keys));
  const source = await orRefused(`${place.name} cannot be read`, place.readEvents());
  return { source, end, heads };
}

/** The events of a log up to a position, and one that says what is left out, and why. */
async function partOfLog(
  config: CopyConfig,
  place: LogPlace,
  keys: LogKeys,
  { until, says: { say, progress } }: { readonly until: bigint; readonly says: Says },
): Promise<Part> {
  let fault: string | undefined;
  const note = (report: (damage: string) => void) => (damage: string) => {
    fault ??= damage;
    report(damage);
  };
  const { heads } = await headsOf(config, place, keys, note(say));
  await printVerification(
    place.name,
    (report) => place.verify({ keys, heads, progress }, note(report)),
    say,
  );
  const log = await orRefused(`${place.name} cannot be read`, place.readEvents());
  try {
    const cut = { until, fault, keys, random, nowMs: Date.now() };
    const { source, end } = await cutLog(place, log, cut);
    return { source, end, heads: heads.filter(({ head }) => head.position <= until) };
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function targetOf(to: string): Promise<Target> {
  if (/^postgres(ql)?:/.test(to)) return await toDatabase(to);
  if (!to.includes("://")) return await toDirectory(to);
  // It may have a password, and is not repeated.
  throw new ConfigError("A copy goes to a directory, or a URL of the form postgres://…");
}

async function toDatabase(url: string): Promise<Target> {
  const [{ logInDatabase }, { fillPostgres }] = await Promise.all([
    import("../log/in-database.ts"),
    import("../store/postgres/fill.ts"),
  ]);
  const { verify } = logInDatabase(url);
  const name = "in the database that is copied to";
  return {
    name,
    verify,
    again: "run this again",
    fill: () => fillPostgres(url),
    settle: async () => {},
  };
}

async function toDirectory(given: string): Promise<Target> {
  const dataDir = resolve(given);
  const draft = draftIn(dataDir);
  const own = ["", "-wal", "-shm"].map((suffix) => basename(draft) + suffix);
  await assertEmpty(dataDir, [keyFile, headFile, erasureFile, ...own]);
  return {
    name: `in ${dataDir}`,
    verify: (proofs, report) => verifySqlite({ path: draft, projector, ...proofs }, report),
    beside: sayKey(dataDir),
    again: "copy into another empty directory",
    fill: async (id) => {
      await makeDataDir(dataDir);
      return await fillSqlite(draft, id);
    },
    settle: async ({ id, key, position, link: last }) => {
      const head = sealHead({ log: id, position, link: last, timeMs: Date.now() }, key);
      await replace(join(dataDir, headFile), `${head}\n`, random);
      await link(draft, logIn(dataDir));
      await removeFile(draft);
    },
  };
}
