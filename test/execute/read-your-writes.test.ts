import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { type Answer, createClients, type TestClient } from "../harness/clients.ts";
import { isFull } from "../harness/extent.ts";
import { endProcesses, startProcess } from "../harness/process.ts";

// Two processes serve one file. What one has acknowledged is read from the other at once, while
// both write as fast as they can.

const { addAPIApp, addProject, createAction, deactivateAction, deleteAction } =
  ManagementService.method;
const { getAction, getAppByID, getProjectByID, listActions, listApps, listProjects } =
  ManagementService.method;
const { removeApp, removeProject } = ManagementService.method;

/** Who writes next to the others, and how often. */
const writers = 4;
const rounds = isFull ? 6 : 2;

type Call = (method: DescMethodUnary, request: Record<string, unknown>) => Promise<Answer>;

let directory: string;
let clients: readonly TestClient[] = [];
/** One caller per process. */
let processes: readonly [Call, Call];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "iam-test-"));
  const env = { IAM_DATA_DIR: directory, IAM_PORT: "0", IAM_LOG_LEVEL: "error" };
  // The second finds what the first has set up.
  const first = grpcClient(await startProcess(["serve"], { env }).listening);
  const second = grpcClient(await startProcess(["serve"], { env }).listening);
  clients = [first, second];
  const token = (await readFile(join(directory, "admin.token"), "utf8")).trim();
  processes = [callOf(first, token), callOf(second, token)];
});

afterAll(async () => {
  for (const client of clients) client.close();
  await endProcesses();
  await rm(directory, { recursive: true });
});

function grpcClient(url: string): TestClient {
  const all = createClients(url);
  for (const other of all.filter(({ name }) => name !== "grpc-js")) other.close();
  return all.find(({ name }) => name === "grpc-js")!;
}

function callOf(client: TestClient, token: string): Call {
  return (method, request) =>
    client.call(method, create(method.input, request) as Message, {
      authorization: `Bearer ${token}`,
    });
}

interface Read {
  readonly id: string;
  readonly appId: string;
  readonly details: { readonly sequence: bigint; readonly processedSequence: bigint };
  readonly result: readonly { readonly id: string; readonly state: number }[];
}

function granted(answer: Answer): Read {
  if (!answer.ok) throw new Error(`refused: ${answer.message}`);
  return answer.message as Message & Read;
}

/** The page holds all that the caller was told of: it is true of that moment or of a later one. */
function expectSince(page: Read, { details }: Read): void {
  expect(page.details.processedSequence).toBeGreaterThanOrEqual(details.sequence);
}

const all = { query: { limit: 1000 } };

test.each([
  ["an action", actionLife],
  ["an application", appLife],
  ["a project", projectLife],
])("%s that one process has acknowledged is there in the other", async (_, life) => {
  const lives = Array.from({ length: writers }, async (_one, writer) => {
    for (let round = 0; round < rounds; round += 1) {
      // The two take turns in writing and reading.
      const [write, read] = round % 2 === writer % 2 ? processes : processes.toReversed();
      await life(write!, read!, `${writer} ${round}`);
    }
  });
  await Promise.all(lives);
});

async function actionLife(write: Call, read: Call, name: string): Promise<void> {
  const made = granted(await write(createAction, { name, script: "1" }));
  const { id } = made;
  granted(await read(getAction, { id }));
  const list = async () => granted(await read(listActions, all));
  const listed = async () => (await list()).result.find((one) => one.id === id);
  expectSince(await list(), made);
  expect(await listed()).toMatchObject({ state: 2 });

  const changed = granted(await write(deactivateAction, { id }));
  expect(await read(getAction, { id })).toMatchObject({ message: { action: { state: 1 } } });
  expectSince(await list(), changed);
  expect(await listed()).toMatchObject({ state: 1 });

  granted(await write(deleteAction, { id }));
  expect(await read(getAction, { id })).toMatchObject({ reason: "ACTION_NOT_FOUND" });
  expect(await listed()).toBeUndefined();
  // The name is free at once, in the other process too.
  granted(await read(createAction, { name, script: "1" }));
}

async function appLife(write: Call, read: Call, name: string): Promise<void> {
  const projectId = granted(await write(addProject, { name: `for the application ${name}` })).id;
  const made = granted(await read(addAPIApp, { projectId, name }));
  const { appId } = made;
  granted(await write(getAppByID, { projectId, appId }));
  const page = granted(await write(listApps, { projectId, ...all }));
  expectSince(page, made);
  expect(page.result.map(({ id }) => id)).toEqual([appId]);

  granted(await write(removeApp, { projectId, appId }));
  expect(await read(getAppByID, { projectId, appId })).toMatchObject({ reason: "APP_NOT_FOUND" });
  expect(granted(await read(listApps, { projectId })).result).toEqual([]);
  granted(await read(addAPIApp, { projectId, name }));
}

async function projectLife(write: Call, read: Call, name: string): Promise<void> {
  const made = granted(await write(addProject, { name }));
  const { id } = made;
  granted(await read(getProjectByID, { id }));
  const { appId } = granted(await read(addAPIApp, { projectId: id, name }));
  const page = granted(await read(listProjects, all));
  expectSince(page, made);
  expect(page.result.map((one) => one.id)).toContain(id);

  granted(await write(removeProject, { id }));
  const gone = { reason: "PROJECT_NOT_FOUND" };
  expect(await read(getProjectByID, { id })).toMatchObject(gone);
  expect(await read(getAppByID, { projectId: id, appId })).toMatchObject(gone);
  expect(granted(await read(listProjects, all)).result.map((one) => one.id)).not.toContain(id);
  granted(await read(addProject, { name }));
}
