import { chmod } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { findPgBouncer, startPooler } from "../harness/pgbouncer.ts";
import { makeCluster } from "../harness/postgres-cluster.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import { inDirectory } from "../harness/process.ts";
import { append, change, eventsOf, things } from "./fixture.ts";
import { sealing } from "./keys.ts";

/** Without a PgBouncer on the machine there is none to stand between; `.ci/run` installs it. */
const isThere = findPostgres() !== undefined && findPgBouncer() !== undefined;
const describeBehindPooler = isThere ? describe : describe.skip;

describeBehindPooler("a pooler whose database is down", () => {
  it("is named to callers, and what they wrote before is there when it is up again", () =>
    inDirectory(async (directory) => {
      await chmod(directory, 0o711);
      const cluster = makeCluster(directory);
      await cluster.start();
      const { url } = await startPooler(cluster.socket);
      const store = await openPostgres({ url: url("postgres"), projector: things(), ...sealing });
      try {
        eventsOf(await store.append(append([change("thing-1", 0)])));
        await cluster.kill();
        // The first who ask find connections of the pooler that have ended.
        const said = new Set<string>();
        while (!said.has(named)) said.add(await sentenceOf(store.load(["thing-1"])));
        await cluster.start();
        while ((await sentenceOf(store.load(["thing-1"]))) !== "") {}
        const [{ version } = { version: 0 }] = await store.load(["thing-1"]);
        expect(version).toBe(1);
        eventsOf(await store.append(append([change("thing-1", 1)])));
      } finally {
        await store.close();
        await cluster.stop();
      }
    }));
});

const named = "The connection pooler has no connection for this service: see its log.";

/** What a caller is told; nothing where it is answered. */
async function sentenceOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return "";
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.message;
    throw error;
  }
}
