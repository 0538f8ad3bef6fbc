import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create, type MessageShape } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { v7 } from "uuid";
import { APIAuthMethodType } from "../../gen/iam/app/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { type Answer, type ClientName, createClients } from "../harness/clients.ts";
import { isFull, shortened } from "../harness/extent.ts";
import {
  endProcesses,
  inDirectory,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { compiler, describeOnDisk } from "./describe.ts";
import { type Disk, makeDisk } from "./disk.ts";

afterEach(endProcesses);

const { addAPIApp } = ManagementService.method;

/** A service on the disk, and a way to make applications there. */
interface Place {
  readonly disk: Disk;
  /** Starts it, for the first time or again. */
  start(...flags: readonly string[]): Promise<ServiceProcess>;
  /** Asks for an application with a secret, which has its own key unless one is given. */
  addApp(client: ClientName, name: string, key?: string): Promise<Answer>;
  /** What the log says of applications, each as its payload. */
  apps(): readonly { readonly [field: string]: unknown }[];
}

async function onFaultyDisk(body: (place: Place) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    const disk = await makeDisk(compiler, directory);
    const dataDir = join(directory, "data");
    let url = "";
    let projectId = "";
    await body({
      disk,
      start: async (...flags) => {
        const args = ["--port=0", `--data-dir=${dataDir}`, ...flags];
        const service = startProcess(args, { env: disk.env });
        url = await service.listening;
        [, projectId = projectId] = /projects\/([\da-f-]+)\/apps/.exec(service.stdout()) ?? [];
        return service;
      },
      addApp: async (name, app, key = v7()) => {
        const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
        const clients = createClients(url);
        const client = clients.find((one) => one.name === name);
        const authMethodType = APIAuthMethodType.API_AUTH_METHOD_TYPE_BASIC;
        const request = create(addAPIApp.input, { projectId, name: app, authMethodType });
        const headers = { authorization: `Bearer ${token}`, "idempotency-key": key };
        const answer = await client!.call(addAPIApp, request, headers);
        for (const one of clients) one.close();
        return answer;
      },
      apps: () => {
        const db = new Database(join(dataDir, "iam.db"), { readonly: true });
        const sql = "SELECT payload FROM events WHERE type LIKE 'project.application.%'";
        const payloads = db.prepare<[], string>(sql).pluck().all();
        db.close();
        return payloads.map((payload) => JSON.parse(payload));
      },
    });
  });
}

/** The lines of its log that are of a level. */
function linesOf(service: ServiceProcess, wanted: number) {
  const lines = service.stderr().split("\n");
  const read = lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  return read.filter(({ level }) => level === wanted);
}

/** The codes of those that are fatal. */
function fatalOf(service: ServiceProcess): readonly string[] {
  return linesOf(service, 60).map(({ code }) => code);
}

/** How many failures of each kind its log tells of. */
function failuresOf(service: ServiceProcess): { readonly [kind: string]: number } {
  const failures = new Map<string, number>();
  for (const { kind, failures: more } of linesOf(service, 50)) {
    failures.set(kind, (failures.get(kind) ?? 0) + more);
  }
  return Object.fromEntries(failures);
}

const unavailable = { ok: false, code: 14, reason: "UNAVAILABLE" };
const unknown = { ok: false, code: 2, reason: "OUTCOME_UNKNOWN" };

/** The client secret of an answer. */
function secretOf(answer: Answer): string {
  expect(answer).toMatchObject({ ok: true });
  const { message } = answer as { readonly message: unknown };
  return (message as MessageShape<typeof addAPIApp.output>).clientSecret;
}

describeOnDisk("a disk that fails", () => {
  test.each(shortened(["json", "grpc-js"] as const))(
    "takes nothing, or may have taken it, and the same call over %s finds out",
    async (client) => {
      await onFaultyDisk(async ({ disk, start, addApp, apps }) => {
        const service = await start();
        const errors = shortened(["ENOSPC", "EIO", "EDQUOT", "EROFS"] as const, 2);
        for (const error of errors) {
          await disk.fail("write", error);
          expect(await addApp(client, error)).toMatchObject(unavailable);
          await disk.mend();
          expect(await addApp(client, error)).toMatchObject({ ok: true });
        }
        const names = apps().flatMap(({ name }) => name ?? []);
        expect(names).toEqual(errors);
        expect(fatalOf(service)).toEqual([]);

        await disk.fail("sync", "EIO");
        const key = v7();
        expect(await addApp(client, "Portal", key)).toMatchObject(
          client === "json" ? { ...unknown, httpStatus: 500 } : unknown,
        );
        expect(await service.ended).toEqual({ code: 1, signal: null });
        expect(fatalOf(service)).toEqual(["SQLITE_IOERR_FSYNC"]);
        const written = { SQLITE_FULL: 1, SQLITE_IOERR_WRITE: errors.length - 1 };
        expect(failuresOf(service)).toMatchObject(written);

        await disk.mend();
        const next = await start();
        // Nothing has changed what the WAL holds, so it was there after all.
        expect(await addApp(client, "Portal")).toMatchObject({ reason: "NAME_TAKEN" });
        const clientSecretHash = hashSecret(secretOf(await addApp(client, "Portal", key)));
        expect(apps()).toContainEqual(expect.objectContaining({ clientSecretHash }));
        next.kill("SIGTERM");
        expect(await next.ended).toEqual({ code: 0, signal: null });
      });
    },
  );

  if (isFull) {
    test("for a moment is the same to the caller", async () => {
      await onFaultyDisk(async ({ disk, start, addApp, apps }) => {
        const service = await start();
        await disk.fail("sync", "EIO");
        const key = v7();
        // Where the service wrote something of its own first, it has ended: nobody knows more then.
        const told = await addApp("json", "Portal", key).catch(() => unknown);
        expect(told).toMatchObject(unknown);
        // Whether what it has written is there when it ends, or not.
        await disk.mend();
        expect(await service.ended).toEqual({ code: 1, signal: null });
        const next = await start();
        expect(secretOf(await addApp("json", "Portal", key))).not.toBe("");
        expect(apps().filter(({ name }) => name === "Portal")).toHaveLength(1);
        next.kill("SIGTERM");
        await next.ended;
      });
    });

    test("ends one of several processes, which is replaced", async () => {
      await onFaultyDisk(async ({ disk, start, addApp }) => {
        const service = await start("--processes=2");
        await disk.fail("sync", "EIO");
        const key = v7();
        // Work of its start may meet the disk before the call does: the connection ends then.
        const first = await addApp("json", "Portal", key).catch(() => unknown);
        expect(first).toMatchObject(unknown);
        await disk.mend();
        await service.logged("a process has taken the place of one that ended");
        // Whichever process it meets.
        for (let answer: Answer | undefined; answer?.ok !== true; ) {
          answer = await addApp("json", "Portal", key).catch(() => undefined);
        }
        service.kill("SIGTERM");
        expect(await service.ended).toEqual({ code: 0, signal: null });
        expect(fatalOf(service)).toContain("SQLITE_IOERR_FSYNC");
      });
    });
  }
});
