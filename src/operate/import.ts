import { randomBytes as random } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "../config/config.ts";
import type { SendLimits } from "../domain/sending.ts";
import { erasureFile } from "../log/erasure-places.ts";
import { fill } from "../log/fill.ts";
import type { Where } from "../log/find.ts";
import { findLog } from "../log/find.ts";
import { headFile } from "../log/head-places.ts";
import { logIn } from "../log/in-file.ts";
import { logKeysFor } from "../log/log-keys.ts";
import { orRefused, printVerification } from "../log/maintain.ts";
import { askingWith, projector } from "../log/projector.ts";
import { exportedLog } from "../log/transfer.ts";
import { keyFile } from "../secrets/keys.ts";
import { parseHead } from "../store/chain/head.ts";
import { fillSqlite } from "../store/sqlite/fill-file.ts";
import { assertWhole, headOf, make, makeEmpty, type Says } from "./backup.ts";

type Into = Where & Pick<Config, "masterKeys"> & SendLimits;

/**
 * Makes a log of an export, in a data directory that has nothing but the keys of the log, or in a
 * database that has no log. What was used of quotas is counted by the bounds of the configuration.
 * Rejects with a ConfigError where something else is there, or the export is damaged or was cut;
 * then no log is there.
 */
export async function importLog(config: Into, file: string, says: Says): Promise<void> {
  const { databaseUrl } = config;
  const [name, end] =
    databaseUrl === ""
      ? await importFile(config, file, says)
      : await importDatabase(config, databaseUrl, file, says);
  says.say(`Imported ${file} ${name}. It ends at position ${end}: compare that with a`);
  says.say("head or a checkpoint, since an export can be truncated on purpose.");
}

type Imported = readonly [name: string, end: bigint | undefined];

async function importFile(config: Into, file: string, says: Says): Promise<Imported> {
  const dataDir = resolve(config.dataDir);
  await makeEmpty(dataDir, [keyFile, erasureFile]);
  const { keys, ...finishing } = finishingOf(config, says);
  const source = await exportedLog(file);
  let head = "";
  await make(logIn(dataDir), async (draft) => {
    const filling = await fillSqlite(draft, source.id);
    const into = { source, filling, name: file, finishing: { keys, ...finishing } };
    await fill(into).finally(filling.close);
    await assertWhole(file, draft, { keys, heads: [] }, says);
    head = await headOf(draft, keys, Date.now());
    // The log gets its name last: cut off before, no log is there without its head.
    await make(join(dataDir, headFile), (beside) => writeFile(beside, `${head}\n`));
  });
  return [`as ${logIn(dataDir)}`, parseHead(head)?.position];
}

async function importDatabase(
  config: Into,
  url: string,
  file: string,
  says: Says,
): Promise<Imported> {
  const { fillPostgres } = await import("../store/postgres/fill.ts");
  const { name, verify } = await findLog(config);
  const finishing = finishingOf(config, says);
  const source = await exportedLog(file);
  let end: bigint | undefined;
  // To its end, before anything is written.
  for await (const { position } of source.after(0n)) end = position;
  const filling = await orRefused(`${name} cannot be created`, fillPostgres(url));
  await fill({ source, filling, name, finishing }).finally(filling.close);
  const { keys } = finishing;
  const { progress, say } = says;
  const check = (report: (damage: string) => void) => verify({ keys, heads: [], progress }, report);
  if (await printVerification(name, check, say)) return [name, end];
  throw new ConfigError(`${file} is damaged, or another process has written ${name}: see above.`);
}

function finishingOf(config: Into, { progress }: Says) {
  const asking = askingWith(config);
  return { keys: logKeysFor(config), random, projector, asking, progress };
}
