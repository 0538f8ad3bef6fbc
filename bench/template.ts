/** The ways in which a call is sent. */
export type Protocol = "connect" | "rest" | "grpc" | "grpc-web";

/**
 * The bytes of a request. Only the digits that make its name unique differ from call to call, so
 * sending one costs the load generator a copy.
 */
export interface Template {
  readonly protocol: Protocol;
  readonly path: string;
  readonly token: string;
  /** HTTP/1.1: the whole request. gRPC: the message in its frame. */
  readonly bytes: Buffer;
  readonly digitsAt: number;
}

/** How many digits make a name unique. */
export const digits = 12;

/** Where the bare gRPC server echoes bytes, and messages that it reads and writes. */
export const echoPath = "/iam.bench.v1.Bare/Echo";
export const messagesPath = "/iam.bench.v1.Bare/Messages";
