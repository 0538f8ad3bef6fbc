import { create, type Message } from "@bufbuild/protobuf";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { RemoveProjectRequestSchema } from "../../gen/iam/management/v1/project_change_pb.js";
import { createClients, type TestClient } from "../harness/clients.ts";
import { kinds } from "./kinds.ts";
import type { Ask, Asked } from "./load.ts";

/** The ways to ask a service: by JSON, and by gRPC. */
export function asksOf(url: string, token: string): { readonly asks: Ask[]; close(): void } {
  const clients = createClients(url);
  const byName = (name: string) => clients.find((client) => client.name === name)!;
  return {
    asks: [byName("json"), byName("grpc")].map((client) => askBy(client, token)),
    close: () => {
      for (const client of clients) client.close();
    },
  };
}

function askBy(client: TestClient, token: string): Ask {
  const headers = { authorization: `Bearer ${token}` };
  return async (asked) => {
    const { kind, name } = asked;
    const method = kind === "removal" ? ManagementService.method.removeProject : kinds[kind].method;
    const answer = await client.call(method, requestOf(asked), headers).catch(() => undefined);
    if (answer === undefined) return { kind: "unknown" };
    if (answer.ok) {
      const id = kind === "removal" ? name : kinds[kind].idOf(answer.message);
      return { kind: "acknowledged", id, sequence: sequenceOf(answer.message) };
    }
    const isUnknown = answer.reason === "none" || answer.reason === "OUTCOME_UNKNOWN";
    return isUnknown ? { kind: "unknown" } : { kind: "refused", reason: answer.reason };
  };
}

function requestOf({ kind, name, projectId }: Asked): Message {
  if (kind === "removal") return create(RemoveProjectRequestSchema, { id: name });
  return kinds[kind].request(name, projectId);
}

function sequenceOf(answer: Message): number {
  const { details } = answer as Message & { readonly details?: { readonly sequence: bigint } };
  return Number(details?.sequence ?? 0n);
}
