import { readEnd, readOwn } from "../store/sqlite/chain-file.ts";
import { readLog } from "../store/sqlite/export-file.ts";
import { rebuildSqlite } from "../store/sqlite/rebuild-file.ts";
import { verifySqlite } from "../store/sqlite/verify/verify.ts";
import { logIn } from "./log-path.ts";
import type { LogTools } from "./log-tools.ts";
import { projector } from "./projector.ts";

/** What works on the log in a data directory. */
export function toolsOfFile(dataDir: string): LogTools {
  const path = logIn(dataDir);
  return {
    name: path,
    readOwn: () => readOwn({ path }),
    readEnd: (keys) => readEnd({ path, keys }),
    readEvents: () => readLog(path),
    verify: (proofs, report) => verifySqlite({ path, projector, ...proofs }, report),
    rebuild: (rebuilding) => rebuildSqlite({ path, projector, ...rebuilding }),
  };
}
