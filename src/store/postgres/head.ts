import type { Head } from "../query.ts";
import type { Connection } from "./pool.ts";

/** The end of the log; inside a transaction, as of its moment. */
export async function readHead(connection: Connection): Promise<Head> {
  const [last] = await connection.query<{ position: bigint; time: bigint }>(
    "SELECT position, time FROM iam.events ORDER BY position DESC LIMIT 1",
  );
  return { position: last?.position ?? 0n, timeMs: Number(last?.time ?? 0n) };
}
