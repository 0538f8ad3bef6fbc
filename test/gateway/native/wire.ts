import { once } from "node:events";
import { Agent, type IncomingMessage, request as request1 } from "node:http";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import type { WireRequest } from "./requests.ts";

/** What came back over the wire; undefined fields where the caller has gone. */
export interface WireAnswer {
  readonly status: number | undefined;
  readonly headers: { readonly [name: string]: unknown };
  readonly trailers: { readonly [name: string]: unknown };
  readonly body: Buffer;
  /** What the log calls it. */
  readonly requestId: unknown;
}

/** Fields that tell of one connection, one answer or one moment. */
const passingFields = [
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-request-id",
];

/** An answer with all its fields. */
type Arrived = Omit<WireAnswer, "requestId">;

export interface Caller {
  readonly port: number;
  readonly agent: Agent;
  /** The connection of HTTP/2, made anew where the server has ended it for too many resets. */
  session(): ClientHttp2Session;
  /** Ends all connections. */
  end(): void;
}

/**
 * Node's client counts what it has not sent of a stream that was reset for good. At 10 MB of it,
 * answers would be lost, and what they answer would be asked again.
 */
const unmetMegabytes = 100_000;

/** Somebody who calls on one connection of each version. */
export function openCaller({ port, url }: { readonly port: number; readonly url: string }): Caller {
  const begin = () => connect(url, { maxSessionMemory: unmetMegabytes }).on("error", () => {});
  let session: ClientHttp2Session | undefined;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    port,
    agent,
    session: () => {
      if (session !== undefined && !session.closed && !session.destroyed) return session;
      session?.destroy();
      session = begin();
      return session;
    },
    end: () => {
      agent.destroy();
      session?.destroy();
    },
  };
}

export async function send(caller: Caller, request: WireRequest): Promise<WireAnswer | "left"> {
  const answer = await (request.version === "1.1"
    ? send1(caller, request)
    : send2(caller, request));
  if (answer === "left") return answer;
  const kept = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !passingFields.includes(name)));
  const requestId = answer.headers["x-request-id"];
  return { ...answer, requestId, headers: kept(answer.headers), trailers: kept(answer.trailers) };
}

async function send1(
  { port, agent }: Caller,
  { verb, path, headers, body, leavesAfter, readsMs }: WireRequest,
): Promise<Arrived | "left"> {
  const length =
    body.length > 0 || verb === "POST" ? [["content-length", String(body.length)]] : [];
  const sent = request1({
    ...{ host: "127.0.0.1", port, method: verb, path },
    agent,
    headers: [...headers, ["host", "localhost"], ...length].flat(),
  });
  const answered = once(sent, "response");
  answered.catch(() => {});
  // A refusal that is sent before the method is read has a body, behind HEAD too.
  sent.on("error", () => {});
  if (leavesAfter !== undefined) {
    sent.write(body.subarray(0, leavesAfter));
    // Not until it is taken: nobody may read it any more.
    await pause(1);
    sent.destroy();
    return "left";
  }
  sent.end(body);
  const leave = new AbortController();
  leave.signal.onabort = () => sent.destroy();
  const late = readsMs === undefined ? undefined : setTimeout(() => leave.abort(), readsMs);
  const chunks: Buffer[] = [];
  try {
    const [response] = (await answered) as [IncomingMessage];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(response, "close");
    const { statusCode: status, headers: fields, trailers } = response;
    return { status, headers: fields, trailers, body: Buffer.concat(chunks) };
  } catch (error) {
    if (leave.signal.aborted) return "left";
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Milliseconds from the end of an answer until its stream is given up. */
const unwantedMs = 1_000;

async function send2(
  caller: Caller,
  request: WireRequest,
  isAgain = false,
): Promise<Arrived | "left"> {
  const { session } = caller;
  const { verb, path, headers, body, leavesAfter, readsMs } = request;
  const fields: { [name: string]: string | string[] } = { ":method": verb, ":path": path };
  for (const [name, value] of headers) {
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  const stream = session().request(fields, { endStream: body.length === 0 });
  stream.on("error", () => {});
  // The server may be the first to close it, at any time.
  const closed = new Promise((resolve) => stream.once("close", resolve));
  if (leavesAfter !== undefined) {
    if (body.length > 0) stream.write(body.subarray(0, leavesAfter));
    await pause(1);
    stream.resume();
    stream.close(constants.NGHTTP2_CANCEL);
    await closed;
    return "left";
  }
  let status: number | undefined;
  let answered: object = {};
  let trailers: object = {};
  const chunks: Buffer[] = [];
  stream.on("response", ({ ":status": code, ...rest }) => {
    status = code;
    answered = rest;
  });
  stream.on("trailers", (rest) => {
    trailers = rest;
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  // Node's client waits forever, until it has sent a body that the server wants no more of
  // (RST_STREAM with NO_ERROR behind the whole answer, RFC 9113, 8.1).
  let unwanted: NodeJS.Timeout | undefined;
  stream.once("end", () => {
    unwanted = setTimeout(() => stream.destroy(), unwantedMs);
  });
  if (body.length > 0) stream.end(body);
  let isLeft = false;
  const leave = () => {
    isLeft = true;
    stream.close(constants.NGHTTP2_CANCEL);
  };
  const late = readsMs === undefined ? undefined : setTimeout(leave, readsMs);
  await closed;
  clearTimeout(late);
  clearTimeout(unwanted);
  if (isLeft) return "left";
  // A connection that has made too many mistakes is over: the call comes again on another one.
  if (status === undefined && !isAgain) {
    session().destroy();
    return await send2(caller, request, true);
  }
  return {
    status,
    headers: { ...answered },
    trailers: { ...trailers },
    body: Buffer.concat(chunks),
  };
}
