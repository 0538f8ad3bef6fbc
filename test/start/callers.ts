import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { AddProjectRequestSchema } from "../../gen/iam/management/v1/project_pb.js";
import { beginLogin, stepNames, stepsAt } from "../crash/login-steps.ts";
import { prepare } from "../crash/logins.ts";
import { createClients } from "../harness/clients.ts";

/** What the calls of all callers came to. */
export interface Told {
  calls: number;
  logins: number;
  /** What each call said that was not answered as it should be. */
  readonly failed: string[];
  longestMs: number;
}

/** Callers that make one call after the other. */
export interface Callers {
  readonly told: Told;
  /** Resolves when so many more calls are answered. */
  more(calls: number): Promise<void>;
  /** Lets each finish its call or its login. */
  stop(): Promise<void>;
}

/** Callers over HTTP/1.1 and over gRPC, and people who log in; none of them repeats a call. */
export async function startCallers(
  url: string,
  dataDir: string,
  { http1, grpc, people }: { http1: number; grpc: number; people: number },
): Promise<Callers> {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const { app, person } = await prepare(url, dataDir);
  const steps = stepsAt(url, app, person);
  const clients = createClients(url);
  const grpcJs = clients.find(({ name }) => name === "grpc-js")!;
  const told: Told = { calls: 0, logins: 0, failed: [], longestMs: 0 };
  const waiting = new Set<() => void>();
  let isOver = false;

  async function call(what: string, run: () => Promise<unknown>): Promise<boolean> {
    const begunMs = performance.now();
    const problem = await run().then(
      () => undefined,
      (error: Error) => `${what}: ${error.message} ${String(error.cause ?? "")}`,
    );
    told.longestMs = Math.max(told.longestMs, performance.now() - begunMs);
    if (problem === undefined) told.calls += 1;
    else told.failed.push(problem);
    for (const look of waiting) look();
    return problem === undefined;
  }

  const headers = { authorization: `Bearer ${token}` };
  const nameOf = (caller: string) => `${caller} ${told.calls} ${Math.random()}`;

  async function overHttp1(caller: string): Promise<void> {
    const response = await fetch(`${url}/management/v1/projects`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name: nameOf(caller) }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  }

  async function overGrpc(caller: string): Promise<void> {
    const request = create(AddProjectRequestSchema, { name: nameOf(caller) });
    const answer = await grpcJs.call(ManagementService.method.addProject, request, headers);
    if (!answer.ok) throw new Error(`${answer.code} ${answer.reason} ${answer.message}`);
  }

  async function logIn(): Promise<void> {
    const login = beginLogin();
    for (const name of stepNames) {
      if (!(await call(name, () => steps[name](login)))) return;
    }
    told.logins += 1;
  }

  const loop = async (count: number, kind: string, step: (caller: string) => Promise<unknown>) => {
    const each = Array.from({ length: count }, async (_, index) => {
      while (!isOver) await step(`${kind} ${index}`);
    });
    await Promise.all(each);
  };
  const all = Promise.all([
    loop(http1, "http1", (caller) => call(caller, () => overHttp1(caller))),
    loop(grpc, "grpc", (caller) => call(caller, () => overGrpc(caller))),
    loop(people, "person", logIn),
  ]);

  return {
    told,
    async more(calls) {
      const until = told.calls + calls;
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (told.calls >= until || told.failed.length > 20) resolve();
      };
      waiting.add(look);
      look();
      await promise;
      waiting.delete(look);
    },
    async stop() {
      isOver = true;
      await all;
      for (const client of clients) client.close();
    },
  };
}
