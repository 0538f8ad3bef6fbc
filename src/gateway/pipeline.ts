import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Code,
  type ConnectError,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type {
  UniversalHandler,
  UniversalHandlerOptions,
  UniversalServerRequest,
  UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import type { Logger } from "pino";
import { dialectOf, inTrailer, legible, refusalIn, toUniversal } from "./answers.ts";
import { endedBy } from "./blame.ts";
import { checkChunks, compressions, inTime, isStream, strictText } from "./body.ts";
import { type Budget, createBudget } from "./budget.ts";
import { withoutFarDeadline } from "./deadline.ts";
import {
  canceled,
  failure,
  failureOf,
  httpStatusOf,
  internal,
  methodNotAllowed,
  reasonOf,
  unsupportedMediaType,
} from "./errors.ts";
import { checkFields } from "./fields.ts";
import type { Gate, Rules } from "./gate.ts";
import type { GatewayLimits } from "./limits.ts";
import { admitted, endWithServer, guarded } from "./messages.ts";
import { type CallLine, type CallRecord, recordKey } from "./record.ts";
import { sentJson } from "./sent.ts";

export interface PipelineOptions {
  readonly gate: Gate;
  readonly rules: Rules;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  readonly now: () => number;
  readonly limits: GatewayLimits;
  /** Ends when the server begins to stop. */
  readonly stopping: AbortSignal;
}

/** The options with what all calls share. */
interface Shared extends PipelineOptions {
  readonly budget: Budget;
}

/** The one way from a request to a handler and back, for every operation and protocol alike. */
export interface Pipeline {
  /** What connect has to be told. */
  readonly connect: Partial<UniversalHandlerOptions>;
  /** A connect handler that refuses in our form, keeps deadlines and logs. */
  wrap(handler: UniversalHandler): UniversalHandler;
}

export function createPipeline(pipelineOptions: PipelineOptions): Pipeline {
  const options = { ...pipelineOptions, budget: createBudget() };
  const jsonOptions = { ignoreUnknownFields: false, textDecoder: strictText };
  return {
    connect: {
      jsonOptions,
      acceptCompression: [...compressions],
      readMaxBytes: options.limits.bodyBytesMax,
      requestGate: (context) => passGate(context, options),
      interceptors: [handling(options)],
    },
    wrap: (handler) => {
      const wrapped = (request: UniversalServerRequest) => answer(handler, request, options);
      // The function has its description as properties.
      return Object.assign(wrapped, { ...handler });
    },
  };
}

/** The first step: before the body is read. */
async function passGate(context: HandlerContext, options: Shared): Promise<void> {
  const record = recordOf(context.values.get(recordKey));
  const { signal } = context;
  // Ended by the deadline, by the caller who goes, and by connect: without an error when the call
  // is answered, with the error just before connect writes that to the wire.
  const ended = () => {
    if (signal.reason?.name === "AbortError" && signal.reason !== record.gone?.reason) return;
    const bytesMax = bytesMaxOf(context.method, options);
    record.error ??= endedBy(signal.reason, record, { log: options.log, bytesMax });
    record.sent?.release();
    record.over.end(record.error);
  };
  if (signal.aborted) ended();
  else signal.addEventListener("abort", ended);
  try {
    const entered = options.gate.enter(context, options.rules.of(context.method));
    await record.over.unless(entered);
  } catch (thrown) {
    throw failureOf(thrown) ?? internal(thrown, record.requestId, options.log);
  }
  record.phase = "reading";
}

/** The second step: around the handler, when the message has been read. */
function handling(options: Shared): Interceptor {
  const { gate, rules, log } = options;
  return (next) => async (request) => {
    const { method, header, contextValues } = request;
    const record = recordOf(contextValues.get(recordKey));
    const admit = async (message: Message) => {
      checkFields(method.input, message);
      await gate.confirm({ header, contextValues, message }, rules.of(method));
    };
    record.phase = "handling";
    try {
      const reading = { bytesMax: bytesMaxOf(method, options), sent: record.sent };
      const entering = request.stream
        ? { ...request, message: admitted(request, reading, admit) }
        : request;
      if (!request.stream) {
        record.sent?.release();
        for (const field of method.input.fields) {
          const fromPath = record.pathFields[field.name];
          if (fromPath !== undefined)
            Object.assign(request.message, { [field.localName]: fromPath });
        }
        await admit(request.message);
      }
      const response = await record.over.unless(next(entering));
      if (response.stream) {
        endWithServer(request, record.over, options.stopping);
        return { ...response, message: guarded(response.message, record, log) };
      }
      record.phase = "answering";
      return response;
    } catch (thrown) {
      throw failureOf(thrown) ?? internal(thrown, record.requestId, log);
    }
  };
}

/** The outermost step: everything that comes back passes here. */
async function answer(
  handler: UniversalHandler,
  request: UniversalServerRequest,
  options: Shared,
): Promise<UniversalServerResponse> {
  const record = recordOf(request.contextValues?.get(recordKey));
  record.gone = request.signal;
  const header = withoutFarDeadline(request.header);
  record.sent = sentJson(handler.method, header);
  const body = checkedBody(handler, request, record, options);
  const response = await handler({ ...request, header, body });
  const { body: answered, trailer, ...rest } = inOurForm(response, handler, request, record);

  const headers = rest.header ?? new Headers();
  headers.set("x-request-id", record.requestId);
  // Answers carry secrets and personal data.
  headers.set("cache-control", "no-store");
  if (record.error?.code === Code.DeadlineExceeded) {
    // HTTP/1.1 can only stop a sender by closing; an HTTP/2 stream is reset on its own.
    if (request.httpVersion.startsWith("1.")) headers.set("connection", "close");
  }
  const isStreamed = handler.method.methodKind !== "unary";
  let isFinished = false;
  const finish = (isWhole: boolean) => {
    if (isFinished) return;
    isFinished = true;
    // A stream that nobody took to its end was not answered, whatever its handler came to.
    if (!isWhole && isStreamed) record.error ??= canceled();
    if (trailer) legible(trailer);
    logLine(handler, request, record, options);
  };
  // What waits to be read by a caller who has gone waits for good.
  if (isStreamed) request.signal.addEventListener("abort", () => finish(false));
  return {
    ...rest,
    header: headers,
    ...(answered ? { body: whileWanted(answered, request.signal, finish) } : {}),
    ...(trailer ? { trailer } : {}),
  };
}

function checkedBody(
  { method }: UniversalHandler,
  { body, header, signal }: UniversalServerRequest,
  { over, sent }: CallRecord,
  options: Shared,
): UniversalServerRequest["body"] {
  if (!isStream(body)) return body;
  const { requestTimeoutMs, bufferedBytesMax } = options.limits;
  // Whoever shows no token leaves room for those who do.
  const lease = options.budget.lease(
    isOpen(method, options) ? bufferedBytesMax / 2 : bufferedBytesMax,
  );
  // However a call ends, and wherever its body is left lying, this comes.
  if (signal.aborted) lease.end();
  else signal.addEventListener("abort", lease.end);
  const isMany = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const check = checkChunks(header, lease, isMany);
  return inTime(body, requestTimeoutMs, over, (chunk) => {
    check(chunk);
    sent?.keep(chunk);
  });
}

function isOpen(method: DescMethod, { rules }: PipelineOptions): boolean {
  return rules.of(method).kind === "open";
}

/** Bytes of one message, as sent and decompressed. */
function bytesMaxOf(method: DescMethod, options: PipelineOptions): number {
  const { openBodyBytesMax, bodyBytesMax } = options.limits;
  return isOpen(method, options) ? openBodyBytesMax : bodyBytesMax;
}

/** Refusals that connect answers without a body, or with its own status and body for JSON. */
function inOurForm(
  response: UniversalServerResponse,
  handler: UniversalHandler,
  request: UniversalServerRequest,
  record: CallRecord,
): UniversalServerResponse {
  if (response.body === undefined) {
    record.error = withoutHandler(response.status, handler, request);
    return toUniversal(refusalIn(dialectOf(request.header), record.error));
  }
  if (record.error === undefined) return response;
  const dialect = dialectOf(request.header);
  if (dialect === "grpc") return inTrailer(response, record.error);
  // The other enveloped protocols answer 200 and have the error in their last frame.
  if (response.status === 200) return response;
  if (dialect === "json") return toUniversal(refusalIn(dialect, record.error));
  return { ...response, status: httpStatusOf(record.error) };
}

function withoutHandler(
  status: number,
  { allowedMethods }: UniversalHandler,
  request: UniversalServerRequest,
): ConnectError {
  if (status === 405) return methodNotAllowed(allowedMethods);
  if (status === 505) {
    const message = "This method streams in both directions and needs HTTP/2.";
    return failure({ reason: "UNSUPPORTED_MEDIA_TYPE", message });
  }
  const dialect = dialectOf(request.header);
  const instead = dialect.startsWith("grpc") ? `application/${dialect}+proto` : undefined;
  return unsupportedMediaType(request.header.get("content-type"), instead);
}

/** Bytes that are written at once: whether a peer takes some shows in what it takes whole. */
const pieceBytesMax = 16 * 1024;

/** The answer, unless nobody is left to read it: writing it would only fail. */
async function* whileWanted(
  chunks: AsyncIterable<Uint8Array>,
  gone: AbortSignal,
  finish: (isWhole: boolean) => void,
) {
  let isWhole = false;
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at === 0 || at < chunk.byteLength; at += pieceBytesMax) {
        if (gone.aborted) return;
        yield chunk.subarray(at, at + pieceBytesMax);
      }
    }
    isWhole = true;
  } finally {
    finish(isWhole);
  }
}

function logLine(
  { method }: UniversalHandler,
  request: UniversalServerRequest,
  { requestId, startedMs, call, error }: CallRecord,
  { logCall, now }: PipelineOptions,
): void {
  logCall({
    requestId,
    method: `${method.parent.typeName}/${method.name}`,
    dialect: dialectOf(request.header),
    code: error === undefined ? "OK" : (reasonOf(error) ?? "INTERNAL"),
    durationMs: now() - startedMs,
    caller: call?.caller.userId,
    organization: call?.organization,
  });
}

function recordOf(record: CallRecord | undefined): CallRecord {
  if (record === undefined) throw new TypeError("the call came in without a record");
  return record;
}
