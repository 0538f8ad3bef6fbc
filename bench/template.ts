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
  /** Where the digits begin, each time; nowhere where every call is the same. */
  readonly digitsAt: readonly number[];
}

/** How many digits make a name unique. */
export const digits = 12;

/** Puts the digits of a call into a copy of the template's bytes. */
export function fillIn(bytes: Buffer, { digitsAt }: Template, serial: string): void {
  for (const at of digitsAt) bytes.write(serial, at, "latin1");
}

/** The id of an application of a filled store, by a serial number of so many digits from 0. */
export function filledId(serial: string): string {
  return `019a0000-0000-7000-8000-${serial}`;
}

/** Where the bare gRPC server echoes bytes, and messages that it reads and writes. */
export const echoPath = "/iam.bench.v1.Bare/Echo";
export const messagesPath = "/iam.bench.v1.Bare/Messages";
