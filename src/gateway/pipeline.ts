import { Code, ConnectError, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import type {
  UniversalHandler,
  UniversalHandlerOptions,
  UniversalServerRequest,
  UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import type { Logger } from "pino";
import { dialectOf, inTrailer, legible, refusalIn, toUniversal } from "./answers.ts";
import { compressions, inTime, isStream, strictText, withKnownFlags } from "./body.ts";
import { withoutFarDeadline } from "./deadline.ts";
import {
  bodyTooLarge,
  canceled,
  describe,
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
import { type CallLine, type CallRecord, recordKey } from "./record.ts";

export interface PipelineOptions {
  readonly gate: Gate;
  readonly rules: Rules;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  readonly now: () => number;
  /** Bytes of one message, as sent and decompressed. */
  readonly bodyBytesMax: number;
  /** Milliseconds until a request must have been sent completely. */
  readonly requestTimeoutMs: number;
}

/** The one way from a request to a handler and back, for every operation and protocol alike. */
export interface Pipeline {
  /** What connect has to be told. */
  readonly connect: Partial<UniversalHandlerOptions>;
  /** A connect handler that refuses in our form, keeps deadlines and logs. */
  wrap(handler: UniversalHandler): UniversalHandler;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const { bodyBytesMax } = options;
  const jsonOptions = { ignoreUnknownFields: false, textDecoder: strictText };
  return {
    connect: {
      jsonOptions,
      acceptCompression: [...compressions],
      readMaxBytes: bodyBytesMax,
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
async function passGate(context: HandlerContext, options: PipelineOptions): Promise<void> {
  const record = recordOf(context.values.get(recordKey));
  const { signal } = context;
  // Ended by the deadline, by the caller who goes, and by connect: without an error when the call
  // is answered, with the error just before connect writes that to the wire.
  const ended = () => {
    if (signal.reason?.name === "AbortError" && signal.reason !== record.gone?.reason) return;
    record.error ??= endedBy(signal.reason, record, options);
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
function handling({ gate, rules, log }: PipelineOptions): Interceptor {
  return (next) => async (request) => {
    const record = recordOf(request.contextValues.get(recordKey));
    record.phase = "handling";
    try {
      if (!request.stream) {
        for (const field of request.method.input.fields) {
          const fromPath = record.pathFields[field.name];
          if (fromPath !== undefined)
            Object.assign(request.message, { [field.localName]: fromPath });
        }
        checkFields(request.method.input, request.message);
        await gate.confirm(request, rules.of(request.method));
      }
      const response = await record.over.unless(next(request));
      if (response.stream) {
        return { ...response, message: guarded(response.message, record, log) };
      }
      record.phase = "answering";
      return response;
    } catch (thrown) {
      throw failureOf(thrown) ?? internal(thrown, record.requestId, log);
    }
  };
}

async function* guarded<T>(messages: AsyncIterable<T>, record: CallRecord, log: Logger) {
  try {
    yield* messages;
  } catch (thrown) {
    throw failureOf(thrown) ?? internal(thrown, record.requestId, log);
  }
}

/** The outermost step: everything that comes back passes here. */
async function answer(
  handler: UniversalHandler,
  request: UniversalServerRequest,
  options: PipelineOptions,
): Promise<UniversalServerResponse> {
  const record = recordOf(request.contextValues?.get(recordKey));
  record.gone = request.signal;
  const header = withoutFarDeadline(request.header);
  const body = checkedBody(request, record, options);
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
  const finish = () => {
    if (trailer) legible(trailer);
    logLine(handler, request, record, options);
  };
  return {
    ...rest,
    header: headers,
    ...(answered ? { body: whileWanted(answered, request.signal, finish) } : {}),
    ...(trailer ? { trailer } : {}),
  };
}

function checkedBody(
  { body, header }: UniversalServerRequest,
  { over }: CallRecord,
  { requestTimeoutMs }: PipelineOptions,
): UniversalServerRequest["body"] {
  if (!isStream(body)) return body;
  const chunks = inTime(body, requestTimeoutMs, over);
  const isFramed = dialectOf(header).startsWith("grpc");
  return isFramed ? withKnownFlags(chunks, header.get("grpc-encoding")) : chunks;
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

/** What went wrong outside of our own parts, told by how far the call had come. */
function endedBy(error: unknown, record: CallRecord, options: PipelineOptions): ConnectError {
  const { gone, phase, requestId } = record;
  if (gone?.aborted && gone.reason === error) return canceled();
  if (!(error instanceof ConnectError)) {
    // While the request is read, only its connection can fail.
    return phase === "reading" ? canceled() : internal(error, requestId, options.log);
  }
  if (reasonOf(error) !== undefined) return error;
  const { code, rawMessage } = error;
  if (code === Code.DeadlineExceeded) {
    describe(error, { reason: "DEADLINE_EXCEEDED", message: "The caller's deadline has passed." });
  } else if (code === Code.Canceled || code === Code.Aborted) {
    return Object.assign(error, canceled());
  } else if (phase !== "reading") {
    return Object.assign(error, internal(error, requestId, options.log));
  } else if (code === Code.ResourceExhausted) {
    return Object.assign(error, bodyTooLarge(options.bodyBytesMax));
  } else if (code === Code.Unimplemented && [...error.metadata].length > 0) {
    // Only where the compression is unknown does connect say in a header what it knows.
    describe(error, { reason: "UNSUPPORTED_COMPRESSION", message: rawMessage });
  } else {
    describe(error, { reason: "MALFORMED_REQUEST", message: rawMessage });
  }
  return error;
}

/** The answer, unless nobody is left to read it: writing it would only fail. */
async function* whileWanted<T>(chunks: AsyncIterable<T>, gone: AbortSignal, finish: () => void) {
  try {
    for await (const chunk of chunks) {
      if (gone.aborted) return;
      yield chunk;
    }
  } finally {
    finish();
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
