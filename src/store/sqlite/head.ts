import type Database from "better-sqlite3";
import type { Head } from "../query.ts";
import type { EventColumns } from "../row.ts";
import { prepareRows } from "./row.ts";

/** Makes the query for the end of the log. */
export function prepareHead(db: Database.Database): () => Head {
  const last = prepareRows<[], Pick<EventColumns, "position" | "time">>(
    db,
    "SELECT position, time FROM events ORDER BY position DESC LIMIT 1",
  );
  return () => {
    const { position, time } = last.get() ?? { position: 0n, time: 0n };
    return { position, timeMs: Number(time) };
  };
}
