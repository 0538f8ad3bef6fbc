import { startCheck } from "../store/postgres/check.ts";
import { inDatabase } from "../store/postgres/database.ts";
import { hasLog, readOwn } from "../store/postgres/identity.ts";
import { openPostgres } from "../store/postgres/postgres.ts";
import { auditLimits } from "./audit.ts";
import { orRefused } from "./maintain.ts";
import type { LogPlace } from "./place.ts";
import { projector } from "./projector.ts";

/** The log in the database of a URL, which stays unsaid: it may have a password. */
export function logInDatabase(url: string): LogPlace {
  const name = "in the database";
  return {
    name,
    isShared: true,
    bringBack: "Use the database with the newest copy. Each node keeps a head of its own.",
    isThere: () => orRefused(`${name} cannot be read`, inDatabase(url, hasLog)),
    readOwn: () => inDatabase(url, readOwn),
    isAt: async () => false,
    open: async (opening) => {
      const store = await openPostgres({ url, projector, ...opening });
      try {
        // A standby may not have all that was acknowledged.
        await store.ready();
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    },
    checkSeals: (identity, hear) =>
      startCheck({ url, projector }, identity, hear, auditLimits.corePercent / 100),
    readEnd: async (keys) => {
      const { readPostgresEnd } = await import("../store/postgres/read-log.ts");
      return await readPostgresEnd(url, keys);
    },
    readEvents: async () => {
      const { readPostgresLog } = await import("../store/postgres/read-log.ts");
      return await readPostgresLog(url);
    },
    verify: async (proofs, report) => {
      const { verifyPostgres } = await import("../store/postgres/verify/verify.ts");
      return await verifyPostgres({ url, projector, ...proofs }, report);
    },
    rebuild: async ({ keys, progress }) => {
      const { rebuildPostgres } = await import("../store/postgres/rebuild-database.ts");
      return await rebuildPostgres({ url, projector, keys, progress });
    },
    vacuum: async () => {
      const { vacuumPostgres } = await import("../store/postgres/vacuum.ts");
      await vacuumPostgres(url);
    },
  };
}
