import { readFile, writeFile } from "node:fs/promises";
import Database from "better-sqlite3";
import { digestOf, firstLink, linkOf } from "../../src/store/chain/link.ts";
import { prepareRows, type SealedColumns, toSealed } from "../../src/store/sqlite/row.ts";

/** Makes all links anew, and the head in the file, as anybody can; MACs stay as they are. */
function relink(db: Database.Database): void {
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
