import { Client, credentials, Metadata, type StatusObject } from "@grpc/grpc-js";
import { type Answer, grpcJsFailure } from "../../harness/clients.ts";
import { patience } from "../../harness/extent.ts";

/** A call as `@grpc/grpc-js` makes it; messages are bytes, whole or broken. */
export interface GrpcJsCall {
  readonly path: string;
  readonly messages?: readonly Uint8Array[];
  readonly metadata?: readonly (readonly [name: string, value: string])[];
  readonly deadlineMs?: number;
  /** Leaves the request without its end. */
  readonly isOpen?: boolean;
  /** Called with the first message of the answer. */
  onMessage?(cancel: () => void): void;
}

/** How messages are compressed: grpc-js numbers the ways. */
export type Compression = "none" | "deflate" | "gzip";

/** The refusal that `@grpc/grpc-js` reads, with a client of its own. */
export async function refuseGrpcJs(
  port: number,
  call: GrpcJsCall,
  compression: Compression = "none",
): Promise<Answer> {
  const algorithm = ["none", "deflate", "gzip"].indexOf(compression);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.default_compression_algorithm": algorithm,
  });
  const { path, messages = [new Uint8Array()], isOpen = false } = call;
  const metadata = new Metadata();
  for (const [name, value] of call.metadata ?? []) metadata.add(name, value);
  const same = (bytes: Buffer) => bytes;
  const stream = client.makeBidiStreamRequest(path, same, same, metadata, {
    deadline: Date.now() + (call.deadlineMs ?? 10_000 * patience),
  });
  const ended = new Promise<StatusObject>((resolve) => stream.on("status", resolve));
  stream.on("error", () => {}).resume();
  stream.once("data", () => call.onMessage?.(() => stream.cancel()));
  for (const message of messages) stream.write(Buffer.from(message));
  if (!isOpen) stream.end();
  const { code, details, metadata: trailers } = await ended;
  client.close();
  return grpcJsFailure({ code, details, metadata: trailers });
}
