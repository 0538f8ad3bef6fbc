import type Database from "better-sqlite3";
import type { Line } from "../turns.ts";
import { type Report, shown } from "./text.ts";

/** Whether each owner with messages has a turn: without one they wait for good. */
export function checkTurns(db: Database.Database, report: Report): void {
  const lacking = db
    .prepare<[], Line>("SELECT type, owner FROM messages EXCEPT SELECT type, owner FROM turns")
    .all();
  for (const { type, owner } of lacking) {
    report(`turn of ${shown(owner)} for ${shown(type)}: it is missing`);
  }
}
