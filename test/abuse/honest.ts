import { setTimeout as pause } from "node:timers/promises";
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { post, textOf } from "../fuzz/place.ts";
import { makeSignedIn } from "../fuzz/signed-in.ts";
import { createClients, type TestClient } from "../harness/clients.ts";

/** What honest callers met. */
export interface Met {
  readonly calls: number;
  /** Applications that were made, each with a person who has logged in to it. */
  readonly logins: number;
  /** What was said to the calls that were not answered as they should be. */
  readonly failures: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** Callers of each kind, and what they wait between two calls, as people's programs do. */
const callersOfEach = 2;
const pauseMs = 10;
/** Milliseconds after which nobody awaits an answer any more. */
const answerMsMax = 15_000;

const { addProject, getProjectByID, listProjects } = ManagementService.method;

/** Milliseconds between two logins, and until one is given up. */
const loginPauseMs = 500;
const loginMsMax = 30_000;

/** Makes applications and people for so many milliseconds, and logs them in; answers how many. */
async function logInHonestly(
  { url, token, endMs }: { readonly url: string; readonly token: string; readonly endMs: number },
  failures: string[],
): Promise<number> {
  const make = (path: string, message: object) => post(url + path, token, message);
  const project = textOf(await make("/management/v1/projects", { name: v7() }), "id");
  let logins = 0;
  do {
    const late = new AbortController();
    const said = await Promise.race([
      makeSignedIn(url, project, make).then(() => undefined),
      pause(loginMsMax, "not answered", late),
    ]).catch((error: unknown) => String(error));
    late.abort();
    logins += 1;
    if (said !== undefined) failures.push(`a login: ${said}`);
    await pause(loginPauseMs);
  } while (performance.now() < endMs);
  return logins;
}

/** Creates, reads and lists for so many milliseconds, over gRPC and JSON, and logs people in. */
export async function callHonestly(url: string, token: string, forMs: number): Promise<Met> {
  const clients = createClients(url).filter(({ name }) => name === "grpc-js" || name === "json");
  const endMs = performance.now() + forMs;
  const latencies: number[] = [];
  const failures: string[] = [];

  async function call(
    client: TestClient,
    method: DescMethodUnary,
    request: MessageInitShape<DescMessage>,
  ) {
    const startMs = performance.now();
    const message = create(method.input, request) as Message;
    const late = new AbortController();
    const answer = await Promise.race([
      client.call(method, message, { authorization: `Bearer ${token}` }),
      pause(answerMsMax, { ok: false, reason: "not answered" } as const, late),
    ]).catch((error: unknown) => ({ ok: false, reason: String(error) }) as const);
    late.abort();
    latencies.push(performance.now() - startMs);
    if (!answer.ok) failures.push(`${method.name} over ${client.name}: ${answer.reason}`);
    return answer.ok ? (answer.message as { readonly id?: string }) : undefined;
  }
  async function caller(client: TestClient): Promise<void> {
    while (performance.now() < endMs) {
      const added = await call(client, addProject, { name: v7() });
      await pause(pauseMs);
      if (added?.id !== undefined) await call(client, getProjectByID, { id: added.id });
      await call(client, listProjects, { query: { limit: 10 } });
      await pause(pauseMs);
    }
  }
  const callers = clients.flatMap((client) => Array<TestClient>(callersOfEach).fill(client));
  const [logins] = await Promise.all([
    logInHonestly({ url, token, endMs }, failures),
    ...callers.map(caller),
  ]);
  for (const client of clients) client.close();

  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  const times = { p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
  return { calls: latencies.length, logins, failures, ...times };
}
