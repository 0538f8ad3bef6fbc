import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { logsTo } from "../../src/start/logger.ts";
import { type Running, serve } from "../../src/start/serve.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { canMount, mount, unmount } from "../harness/mount.ts";
import {
  type Cluster,
  makeCluster,
  own,
  runOn,
  unprivileged,
} from "../harness/postgres-cluster.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import { run } from "./command.ts";
import { callsTo, masterKey } from "./database-place.ts";

/**
 * Nothing can take the place of a file system that is full: where none can be mounted, and only
 * there, the tests count as skipped, and `test/runner/missing.ts` says so.
 */
const describeOnSmallDisk = findPostgres() !== undefined && canMount() ? describe : describe.skip;

/** MiB that the tables of an empty database take, and room for more. */
const diskMegabytes = 64;

describeOnSmallDisk("a database whose disk is full", () => {
  let directory: string;
  let cluster: Cluster;
  let service: Running | undefined;
  const lines: string[] = [];
  const disk = () => join(directory, "disk");
  const ballast = () => join(disk(), "ballast");

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "iam-full-"));
    cluster = makeCluster(directory);
    await mkdir(disk());
    expect(mount(disk(), diskMegabytes)).toBe(true);
    own(disk(), unprivileged());
    await cluster.start();
    await runOn(cluster.url("postgres"), `CREATE TABLESPACE small LOCATION '${disk()}'`);
    await runOn(cluster.url("postgres"), "CREATE DATABASE iam TABLESPACE small");
  });
  afterAll(async () => {
    await service?.close();
    await cluster.stop();
    unmount(disk());
    await rm(directory, { recursive: true, maxRetries: 9 });
  });

  test("takes no writes, loses none, and takes them again when there is room", async () => {
    const dataDir = join(directory, "node");
    const environment = { IAM_DATABASE_URL: cluster.url("iam"), IAM_MASTER_KEY: masterKey };
    const config = readConfig(["--port=0", `--data-dir=${dataDir}`], environment);
    service = await serve(config, logsTo({ write: (line) => void lines.push(line) }, "info"));
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    const calls = callsTo(service.url, token);
    const acknowledged: string[] = [];
    /** Adds projects until one is refused, or so many are there; answers the refusal. */
    const add = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        const name = `${"long ".repeat(30)}${acknowledged.length}`;
        const answer = await calls.add(name);
        if (answer.status !== 200) return answer;
        acknowledged.push(JSON.parse(answer.text).id);
      }
      return undefined;
    };
    expect(await add(5)).toBeUndefined();

    const { bavail, bsize } = await statfs(disk());
    await writeFile(ballast(), Buffer.alloc(bavail * bsize));
    const refused = await add(10_000);
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('"UNAVAILABLE"') });
    expect(await calls.projects()).toMatchObject({ status: 200 });
    const notReady = { status: 503, text: expect.stringContaining('"UNAVAILABLE"') };
    // One who asks, and however often.
    for (const _ of [1, 2, 3]) expect(await calls.ready()).toMatchObject(notReady);

    await rm(ballast());
    // Nobody else writes until it is ready by itself.
    while ((await calls.ready()).status !== 200) await pause(50);
    expect(postgresLimits.roomMs + postgresLimits.readyMs).toBeLessThan(5_000);
    expect(await add(5)).toBeUndefined();
    const told = () => lines.map((line) => JSON.parse(line));
    expect(told()).toContainEqual(
      expect.objectContaining({ kind: "53100", msg: "the storage of the log fails" }),
    );
    while (!told().some(({ msg }) => msg === "the storage of the log works again")) await pause(50);
    const events = await runOn<{ stream: string }>(
      cluster.url("iam"),
      "SELECT stream FROM iam.events WHERE type = 'project.added'",
    );
    const there = new Set(events.map(({ stream }) => stream));
    for (const id of acknowledged) expect(there).toContain(`project-${id}`);
    const verified = await run(["verify", `--data-dir=${dataDir}`], environment);
    expect(verified).toMatchObject({ code: 0, stderr: "" });
  });
});
