import { create, type Message } from "@bufbuild/protobuf";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { RemoveProjectRequestSchema } from "../../gen/iam/management/v1/project_change_pb.js";
import type { Random } from "../gateway/unary/random.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { type KindName, kinds } from "./kinds.ts";
import type { Call, Outcome } from "./ledger.ts";

/** What a load writes to, and what it remembers. */
export interface Load {
  readonly url: string;
  readonly token: string;
  readonly random: Random;
  /** All calls so far, of earlier loads too; each further one is added. */
  readonly calls: Call[];
  /** Told of each call as soon as its answer is there. */
  readonly answered?: (call: Call) => void;
  /** Ends it, once the calls in flight have come to something. */
  readonly over: AbortSignal;
  /** Whether writers go on after a call that got no answer, or was refused for want of room. */
  readonly goesOn?: boolean;
}

/** As many write at once, every other one by JSON, the others by gRPC. */
const writersAtOnce = 24;

/**
 * Writes until it is told to end, or until the service has: each writer makes things, projects of
 * its own with applications in them, and removes some of these. Names of which nobody knows whether
 * they were taken are asked for again first, and some are asked for by two at once.
 */
export async function drive(load: Load): Promise<void> {
  const clients = createClients(load.url);
  const byName = (name: string) => clients.find((client) => client.name === name)!;
  const pair = [byName("json"), byName("grpc")];
  const known = new Set(load.calls.filter(isSettled).map(keyOf));
  const again = load.calls.filter((call) => isContested(call.kind) && !known.has(keyOf(call)));
  const writers = Array.from({ length: writersAtOnce }, (_, i) =>
    write(load, pair[i % pair.length]!, again),
  );
  await Promise.all(writers);
  for (const client of clients) client.close();
}

/** Whether a later call for the same name is no news. */
function isSettled({ outcome }: Call): boolean {
  return outcome.kind === "acknowledged" || isTaken(outcome);
}

function isTaken(outcome: Outcome): boolean {
  return outcome.kind === "refused" && outcome.reason === "NAME_TAKEN";
}

function keyOf({ kind, name }: Call): string {
  return `${kind} ${name}`;
}

/** What is never removed, and so never asked for again in vain. */
function isContested(kind: Call["kind"]): kind is KindName {
  return kind === "action" || kind === "person";
}

async function write(load: Load, client: TestClient, again: Call[]): Promise<void> {
  const { random, calls, over } = load;
  const headers = { authorization: `Bearer ${load.token}` };
  let project: string | undefined;

  async function ask(kind: Call["kind"], name: string, request: Message): Promise<Call> {
    const call: Call = { number: calls.length, kind, name, outcome: { kind: "unknown" } };
    calls.push(call);
    const method = kind === "removal" ? ManagementService.method.removeProject : kinds[kind].method;
    const answer = await client.call(method, request, headers).catch(() => undefined);
    if (answer === undefined) return call;
    if (answer.ok) {
      const id = kind === "removal" ? name : kinds[kind].idOf(answer.message);
      call.outcome = { kind: "acknowledged", id, sequence: sequenceOf(answer.message) };
    } else if (answer.reason !== "none" && answer.reason !== "OUTCOME_UNKNOWN") {
      call.outcome = { kind: "refused", reason: answer.reason };
    }
    if (call.outcome.kind !== "unknown") load.answered?.(call);
    return call;
  }

  while (!over.aborted) {
    const call = await next();
    const { outcome } = call;
    if (call.kind === "removal") project = undefined;
    if (call.kind === "project" && outcome.kind === "acknowledged") project = outcome.id;
    if (!load.goesOn && !isSettled(call)) return;
  }

  function next(): Promise<Call> {
    const old = again.pop();
    if (old !== undefined && isContested(old.kind)) return make(old.kind, old.name);
    if (project === undefined) return make("project");
    if (random.once(8)) {
      return ask("removal", project, create(RemoveProjectRequestSchema, { id: project }));
    }
    const kind = random.pick(Object.keys(kinds) as KindName[]);
    const last = calls.findLast((call) => call.kind === kind);
    // Two that ask for one name at once: one gets it.
    if (isContested(kind) && last !== undefined && random.once(6)) return make(kind, last.name);
    return make(kind === "project" ? "api" : kind);
  }

  function make(kind: KindName, name = `${kind}-${calls.length}`): Promise<Call> {
    return ask(kind, name, kinds[kind].request(name, project ?? ""));
  }
}

function sequenceOf(answer: Message): number {
  const { details } = answer as Message & { readonly details?: { readonly sequence: bigint } };
  return Number(details?.sequence ?? 0n);
}
