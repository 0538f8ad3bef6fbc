import { describe } from "@jest/globals";
import type { PostgresLimits } from "../../src/store/postgres/limits.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import type { Projector } from "../../src/store/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { postgresServer } from "../harness/postgres.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import type { Place } from "./conformance/place.ts";
import { things } from "./fixture.ts";
import { sealing } from "./keys.ts";

/**
 * Like `describe`. Nothing can take the place of a server: where there is none for the platform,
 * and only there, the tests count as skipped, and `test/runner/missing.ts` says so.
 */
export const describeOnPostgres = findPostgres() === undefined ? describe.skip : describe;

/** A database of its own, which stores and plain connections may share. */
export interface PostgresPlace extends Place {
  readonly url: string;
  open(projector?: Projector, limits?: Partial<PostgresLimits>): Promise<Store>;
}

/** Takes a database of the server of this process, which is empty. */
export async function postgresPlace(): Promise<PostgresPlace> {
  const server = await postgresServer();
  const database = await server.takeDatabase();
  const url = server.url(database);
  const stores: Store[] = [];
  return {
    url,
    open: async (projector = things(), limits = {}) => {
      const store = await openPostgres({ url, projector, limits, ...sealing });
      stores.push(store);
      return store;
    },
    remove: async () => {
      for (const store of stores) await store.close();
      await server.giveBack(database);
    },
  };
}
