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
import { createClients, type TestClient } from "../harness/clients.ts";

/** What honest callers met. */
export interface Met {
  readonly calls: number;
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

/** Creates, reads and lists for so many milliseconds, over gRPC and JSON. */
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
  await Promise.all(callers.map(caller));
  for (const client of clients) client.close();

  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
  const times = { p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
  return { calls: latencies.length, failures, ...times };
}
