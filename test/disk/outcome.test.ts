import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { AddProjectRequestSchema } from "../../gen/iam/management/v1/project_pb.js";
import { type Answer, type ClientName, createClients } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import {
  endProcesses,
  inDirectory,
  type ServiceProcess,
  startProcess,
} from "../harness/process.ts";
import { type Disk, findCompiler, makeDisk } from "./disk.ts";

afterEach(endProcesses);

const compiler = findCompiler();
const onDisk = compiler === undefined ? describe.skip : describe;

/** A service on the disk, and a way to make projects there. */
interface Place {
  readonly disk: Disk;
  /** Starts it, for the first time or again. */
  start(): Promise<ServiceProcess>;
  addProject(client: ClientName, name: string): Promise<Answer>;
}

async function onFaultyDisk(body: (place: Place) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    const disk = await makeDisk(compiler ?? "", directory);
    const dataDir = join(directory, "data");
    let url = "";
    await body({
      disk,
      start: async () => {
        const service = startProcess(["--port=0", `--data-dir=${dataDir}`], { env: disk.env });
        url = await service.listening;
        return service;
      },
      addProject: async (name, project) => {
        const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
        const clients = createClients(url);
        const client = clients.find((one) => one.name === name);
        const request = create(AddProjectRequestSchema, { name: project });
        const headers = { authorization: `Bearer ${token}` };
        const answer = await client!.call(ManagementService.method.addProject, request, headers);
        for (const one of clients) one.close();
        return answer;
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

const fatalOf = (service: ServiceProcess) => linesOf(service, 60);

const unavailable = { ok: false, code: 14, reason: "UNAVAILABLE" };
const unknown = { ok: false, code: 2, reason: "OUTCOME_UNKNOWN" };

onDisk("what the disk did not take", () => {
  test("is refused until it takes it again, without a restart", async () => {
    await onFaultyDisk(async ({ disk, start, addProject }) => {
      const service = await start();
      for (const error of ["ENOSPC", "EDQUOT", "EROFS", "EIO"] as const) {
        await disk.fail("write", error);
        expect(await addProject("grpc-js", error)).toMatchObject(unavailable);
        expect(await addProject("json", error)).toMatchObject({ ...unavailable, httpStatus: 503 });
        await disk.mend();
        expect(await addProject("json", error)).toMatchObject({ ok: true });
      }
      service.kill("SIGTERM");
      expect(await service.ended).toEqual({ code: 0, signal: null });
      expect(fatalOf(service)).toEqual([]);
      const failures = new Map<string, number>();
      for (const line of linesOf(service, 50)) {
        failures.set(line.kind, (failures.get(line.kind) ?? 0) + line.failures);
      }
      expect(Object.fromEntries(failures)).toEqual({ SQLITE_FULL: 2, SQLITE_IOERR_WRITE: 6 });
    });
  });
});

onDisk("what the disk may have taken", () => {
  test.each(shortened(["json", "grpc-js"] as const))(
    "is answered as unknown over %s, and the process ends",
    async (client) => {
      await onFaultyDisk(async ({ disk, start, addProject }) => {
        const service = await start();
        await disk.fail("sync", "EIO");
        expect(await addProject(client, "Portal")).toMatchObject(
          client === "json" ? { ...unknown, httpStatus: 500 } : unknown,
        );
        expect(await service.ended).toEqual({ code: 1, signal: null });
        expect(fatalOf(service)).toMatchObject([{ code: "SQLITE_IOERR_FSYNC" }]);

        await disk.mend();
        const next = await start();
        // Nothing has changed what the WAL holds, so it was there after all.
        expect(await addProject(client, "Portal")).toMatchObject({ reason: "NAME_TAKEN" });
        next.kill("SIGTERM");
        await next.ended;
      });
    },
  );
});
