import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { credentials, Client as GrpcJsClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import {
  WatchEventsRequestSchema,
  type WatchEventsResponse,
  WatchEventsResponseSchema,
} from "../../gen/iam/event/v1/watch_pb.js";

export const watchClients = ["connect", "grpc", "grpc-web", "grpc-js"] as const;

export type WatchClient = (typeof watchClients)[number];
export type WatchRequest = MessageInitShape<typeof WatchEventsRequestSchema>;

/** How a stream ended: the canonical code, 0 where nothing was wrong, and the reason. */
export interface Ended {
  readonly code: number;
  readonly reason: string;
}

export interface Watch {
  /** The next answer; rejects with the end where there is none. */
  next(): Promise<WatchEventsResponse>;
  /** The positions of the next events, and of no more than so many; other answers are left out. */
  positions(count: number): Promise<readonly bigint[]>;
  /** How it ended, with the positions of the events that came before. */
  end(): Promise<Ended & { readonly positions: readonly bigint[] }>;
  /** Calls the stream off and waits until it is. */
  leave(): Promise<void>;
}

/** Watches a server through one of the clients; with an empty token, without one. */
export function watching(
  client: WatchClient,
  url: string,
  token: string,
  request: WatchRequest = {},
): Watch {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  const stream = client === "grpc-js" ? byGrpcJs(url) : byConnect(transportOf(client, url));
  const { answers, cancel, endedBy } = stream(request, headers);
  const each = answers[Symbol.asyncIterator]();
  const next = async (): Promise<WatchEventsResponse> => {
    const { value, done } = await each.next().catch((thrown) => {
      throw endedBy(thrown);
    });
    if (done) throw { code: 0, reason: "OK" } satisfies Ended;
    return value;
  };
  return {
    next,
    async positions(count) {
      const found: bigint[] = [];
      while (found.length < count) {
        const { event } = await next();
        if (event !== undefined) found.push(event.sequence);
      }
      return found;
    },
    async end() {
      const positions: bigint[] = [];
      for (;;) {
        const answer = await next().catch((ended: Ended) => ended);
        if ("code" in answer) return { ...answer, positions };
        if (answer.event !== undefined) positions.push(answer.event.sequence);
      }
    },
    async leave() {
      cancel();
      for (;;) {
        const left = await next().catch((ended: Ended) => ended);
        if ("code" in left) return;
      }
    },
  };
}

/** A stream as each of the libraries has it. */
type Open = (
  request: WatchRequest,
  headers: { readonly [name: string]: string },
) => {
  readonly answers: AsyncIterable<WatchEventsResponse>;
  readonly cancel: () => void;
  readonly endedBy: (thrown: unknown) => Ended;
};

function transportOf(client: Exclude<WatchClient, "grpc-js">, baseUrl: string): Transport {
  switch (client) {
    case "connect":
      return createConnectTransport({ baseUrl, httpVersion: "1.1" });
    case "grpc":
      return createGrpcTransport({ baseUrl });
    case "grpc-web":
      return createGrpcWebTransport({ baseUrl });
  }
}

function byConnect(transport: Transport): Open {
  return (request, headers) => {
    const over = new AbortController();
    const { watchEvents } = createClient(EventService, transport);
    return {
      answers: watchEvents(request, { headers: { ...headers }, signal: over.signal }),
      cancel: () => over.abort(),
      endedBy(thrown) {
        const error = ConnectError.from(thrown);
        const [info] = error.findDetails(ErrorInfoSchema);
        return { code: error.code, reason: info?.reason ?? Code[error.code] };
      },
    };
  };
}

function byGrpcJs(url: string): Open {
  return (request, headers) => {
    const client = new GrpcJsClient(new URL(url).host, credentials.createInsecure());
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const call = client.makeServerStreamRequest(
      "/iam.event.v1.EventService/WatchEvents",
      (message) => Buffer.from(toBinary(WatchEventsRequestSchema, message)),
      (bytes) => fromBinary(WatchEventsResponseSchema, bytes),
      create(WatchEventsRequestSchema, request),
      metadata,
    );
    call.once("close", () => client.close());
    return {
      answers: call,
      cancel: () => call.cancel(),
      endedBy(thrown) {
        const { code, metadata: trailer } = thrown as ServiceError;
        const [packed] = trailer.get("grpc-status-details-bin");
        const { details } = packed
          ? fromBinary(StatusSchema, Buffer.from(packed))
          : { details: [] };
        const info = details.find(({ typeUrl }) => typeUrl.endsWith(ErrorInfoSchema.typeName));
        const reason = info ? fromBinary(ErrorInfoSchema, info.value).reason : Code[code]!;
        return { code, reason };
      },
    };
  };
}
