import { readFile, writeFile } from "node:fs/promises";
import Database from "better-sqlite3";
import pg from "pg";
import { digestOf, firstLink, linkOf } from "../../src/store/chain/link.ts";
import * as database from "../../src/store/postgres/row.ts";
import { prepareRows, type SealedColumns, toSealed } from "../../src/store/sqlite/row.ts";

/** Makes all links anew, and the head in the file, as anybody can; MACs stay as they are. */
export function relink(db: Database.Database): void {
  const rows = prepareRows<[], SealedColumns>(db, "SELECT * FROM events ORDER BY position").all();
  const id = db.prepare<[], string>("SELECT log FROM head").pluck().get() ?? "";
  let end = { position: 0n, link: firstLink };
  for (const event of rows.map(toSealed)) {
    const { position, mac } = event;
    const link = linkOf(end.link, position, digestOf(id, event, event.salt), mac);
    db.prepare("UPDATE events SET link = ? WHERE position = ?").run(link, position);
    end = { position, link };
  }
  db.prepare("UPDATE head SET position = ?, link = ?").run(end.position, end.link);
}

/** Changes the log as the SQL says, and makes all hashes anew that take no key. */
export function forge(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  relink(db);
  db.close();
}

/** Changes the heads that are kept outside the log, in each of these files. */
export async function changeHeads(paths: readonly string[], head: object): Promise<void> {
  for (const path of paths) {
    const before = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...before, ...head }));
  }
}

/** The same of a database, as a role. */
export async function relinkDatabase(url: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET ROLE ${role}`);
  const [{ id }] = (await client.query("SELECT id FROM iam.log")).rows;
  const { rows } = await client.query<database.SealedColumns>(
    `SELECT ${database.sealedColumns} FROM iam.events e ORDER BY e.position`,
  );
  let before: Uint8Array = firstLink;
  for (const event of rows.map(database.toSealed)) {
    const position = BigInt(event.position);
    before = linkOf(before, position, digestOf(id, event, event.salt), event.mac);
    await client.query("UPDATE iam.events SET link = $1 WHERE position = $2", [before, position]);
  }
  await client.end();
}
