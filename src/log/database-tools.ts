import { inDatabase } from "../store/postgres/database.ts";
import { readOwn } from "../store/postgres/identity.ts";
import { readPostgresEnd, readPostgresLog } from "../store/postgres/read-log.ts";
import { rebuildPostgres } from "../store/postgres/rebuild-database.ts";
import { verifyPostgres } from "../store/postgres/verify/verify.ts";
import type { LogTools } from "./log-tools.ts";
import { projector } from "./projector.ts";

/** What works on the log in the database of a URL, which stays unsaid: it may have a password. */
export function toolsOfDatabase(url: string): LogTools {
  return {
    name: "in the database",
    readOwn: () => inDatabase(url, (pool) => pool.using(readOwn)),
    readEnd: (keys) => readPostgresEnd(url, keys),
    readEvents: () => readPostgresLog(url),
    verify: (proofs, report) => verifyPostgres({ url, projector, ...proofs }, report),
    rebuild: ({ keys, progress }) => rebuildPostgres({ url, projector, keys, progress }),
  };
}
