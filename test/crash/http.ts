import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { RegenerateAPIClientSecretRequestSchema } from "../../gen/iam/management/v1/app_change_pb.js";
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
  return async (asked) => {
    const { kind, name, key } = asked;
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": key };
    const answer = await client
      .call(methodOf(kind), requestOf(asked), headers)
      .catch(() => undefined);
    if (answer === undefined) return { kind: "unknown" };
    if (answer.ok) {
      const isOld = kind === "removal" || kind === "secret";
      const id = isOld ? name : kinds[kind].idOf(answer.message);
      return { kind: "acknowledged", id, sequence: sequenceOf(answer.message) };
    }
    const isUnknown = answer.reason === "none" || answer.reason === "OUTCOME_UNKNOWN";
    return isUnknown ? { kind: "unknown" } : { kind: "refused", reason: answer.reason };
  };
}

function methodOf(kind: Asked["kind"]): DescMethodUnary {
  const { method } = ManagementService;
  if (kind === "removal") return method.removeProject;
  return kind === "secret" ? method.regenerateAPIClientSecret : kinds[kind].method;
}

function requestOf({ kind, name, projectId }: Asked): Message {
  if (kind === "removal") return create(RemoveProjectRequestSchema, { id: name });
  if (kind === "secret") {
    return create(RegenerateAPIClientSecretRequestSchema, { projectId, appId: name });
  }
  return kinds[kind].request(name, projectId);
}

function sequenceOf(answer: Message): number {
  const { details } = answer as Message & { readonly details?: { readonly sequence: bigint } };
  return Number(details?.sequence ?? 0n);
}
