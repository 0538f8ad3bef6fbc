import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { readConfig } from "../../src/config/config.ts";
import { logsTo } from "../../src/start/logger.ts";
import { type Running, serve } from "../../src/start/serve.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { type Cluster, makeCluster, runOn } from "../harness/postgres-cluster.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { refusalOf } from "./command.ts";
import { callsTo, masterKey } from "./database-place.ts";

// A server of its own that comes and goes, and what a service says and does then.

describeOnPostgres("a database that comes and goes", () => {
  let directory: string;
  let cluster: Cluster;
  let service: Running;
  const lines: string[] = [];
  const dataDir = () => join(directory, "node");
  const flags = () => ["--port=0", `--data-dir=${dataDir()}`];
  const environment = (url = cluster.url("iam")) => ({
    IAM_DATABASE_URL: url,
    IAM_MASTER_KEY: masterKey,
  });
  const calls = () =>
    callsTo(service.url, readFileSync(join(dataDir(), "admin.token"), "utf8").trim());
  /** Adds a project as soon as that can be done. */
  const added = async (name: string) => {
    while ((await calls().add(name)).status === 503) await pause(50);
    expect(await calls().add(name)).toMatchObject({ status: 409 });
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "iam-life-"));
    cluster = makeCluster(join(directory));
    await cluster.start();
    await runOn(cluster.url("postgres"), "CREATE DATABASE iam");
    const config = readConfig(flags(), environment());
    service = await serve(config, logsTo({ write: (line) => void lines.push(line) }, "info"));
  });
  afterAll(async () => {
    await service.close();
    await cluster.stop();
    await rm(directory, { recursive: true, maxRetries: 9 });
  });

  test("is told of once in a while, and written again once it is back", async () => {
    await added("Before");
    const sinceMs = performance.now();
    const before = lines.length;
    await cluster.kill();
    for (let i = 0; i < 5; i += 1) {
      const refused = await calls().add("Meanwhile");
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.text).toContain('"UNAVAILABLE"');
    }
    expect(await calls().ready()).toMatchObject({ status: 503 });
    await cluster.start();
    await added("After");
    expect(await calls().ready()).toMatchObject({ status: 200 });
    while (!lines.some((line) => line.includes("the storage of the log works again"))) {
      await pause(50);
    }
    const told = lines.slice(before).map((line) => JSON.parse(line));
    const severe = told.filter(({ level }) => level >= 40);
    const often = 1 + Math.floor((performance.now() - sinceMs) / postgresLimits.failuresMs);
    for (const alike of Map.groupBy(severe, ({ msg, kind }) => `${msg} ${kind}`).values()) {
      expect(alike.length).toBeLessThanOrEqual(often);
    }
    expect(severe.map(({ kind }) => kind)).toContain("ECONNREFUSED");
    expect(lines.join("")).not.toContain(encodeURIComponent(cluster.socket));
  });

  test("is waited for no longer than it says itself", async () => {
    await runOn(cluster.url("iam"), "ALTER ROLE iam SET statement_timeout = '1s'");
    await service.close();
    service = await serve(readConfig(flags(), environment()), logsTo({ write() {} }, "silent"));
    await runOn(cluster.url("iam"), "ALTER ROLE iam RESET statement_timeout");
    const holder = new pg.Client({ connectionString: cluster.url("iam") });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE iam.events");
    const refused = await calls().add("Late");
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.text).toContain('"UNAVAILABLE"');
    await holder.query("COMMIT");
    await holder.end();
    await added("Late");
  });

  test("is not served from a standby, or with another password", async () => {
    const standby = cluster.standby(join(directory, "standby"));
    await standby.start();
    expect(await refusalOf(flags(), environment(standby.url("iam")))).toBe(
      "The event log in the database cannot be opened: The database is read-only: it is a " +
        "standby, or set so.",
    );
    await standby.stop();
    await runOn(cluster.url("iam"), "ALTER ROLE iam PASSWORD 'right'");
    const hba = join(directory, "data", "pg_hba.conf");
    const before = readFileSync(hba, "utf8");
    writeFileSync(hba, "local all all scram-sha-256\n");
    await runOn(cluster.url("iam"), "SELECT pg_reload_conf()").catch(() => {});
    const url = cluster.url("iam").replace("iam@", "iam:wr0ng@");
    const isLetIn = () =>
      runOn(url, "SELECT 1").then(
        () => true,
        () => false,
      );
    while (await isLetIn()) await pause(20);
    expect(await refusalOf(flags(), environment(url))).toBe(
      "The event log in the database cannot be read: The database refuses the login of this " +
        "service: the password is wrong.",
    );
    writeFileSync(hba, before);
    await cluster.stop();
    await cluster.start();
    await added("At last");
  });
});
