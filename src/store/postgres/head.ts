import type { Head } from "../query.ts";
import type { Connection } from "./pool.ts";

/** The link of the event at a position; undefined where there is none. */
export async function linkAt(
  connection: Connection,
  position: bigint,
): Promise<Uint8Array | undefined> {
  const [row] = await connection.query<{ link: Uint8Array }>(
    "SELECT link FROM iam.events WHERE position = $1",
    [position],
  );
  return row?.link;
}

/** The end of the log; inside a transaction, as of its moment. */
export async function readHead(connection: Connection): Promise<Head> {
  const [last] = await connection.query<{ position: bigint; time: bigint }>(
    "SELECT position, time FROM iam.events ORDER BY position DESC LIMIT 1",
  );
  return { position: last?.position ?? 0n, timeMs: Number(last?.time ?? 0n) };
}
