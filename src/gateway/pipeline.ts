import { Code, ConnectError, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import type {
  UniversalHandler,
  UniversalHandlerOptions,
  UniversalServerRequest,
  UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import type { Logger } from "pino";
import { callKey } from "../api/call.ts";
import { dialectOf, refusalIn, toUniversal } from "./answers.ts";
import { withDeadline } from "./body.ts";
import {
  describe,
  failure,
  failureOf,
  httpStatusOf,
  methodNotAllowed,
  reasonOf,
  unsupportedMediaType,
} from "./errors.ts";
import { checkFields } from "./fields.ts";
import { checkProject, type Gate, type Rules } from "./gate.ts";
import { type CallRecord, recordKey } from "./record.ts";

export interface PipelineOptions {
  readonly gate: Gate;
  readonly rules: Rules;
  readonly log: Logger;
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
  return {
    connect: {
      jsonOptions: { ignoreUnknownFields: false },
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
  // Connect ends the call's signal with its error just before it writes that error to the wire.
  context.signal.addEventListener("abort", () => {
    const error: unknown = context.signal.reason;
    if (error instanceof ConnectError) record.error ??= describedBy(error, record, options.log);
  });
  try {
    await options.gate(context, options.rules.of(context.method));
  } catch (thrown) {
    throw failureOf(thrown) ?? internal(thrown, record, options.log);
  }
  record.phase = "reading";
}

/** The second step: around the handler, when the message has been read. */
function handling({ rules, log }: PipelineOptions): Interceptor {
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
        const call = request.contextValues.get(callKey);
        if (call !== undefined) checkProject(rules.of(request.method), call, request.message);
      }
      const response = await next(request);
      if (response.stream) {
        return { ...response, message: guarded(response.message, record, log) };
      }
      record.phase = "answering";
      return response;
    } catch (thrown) {
      throw failureOf(thrown) ?? internal(thrown, record, log);
    }
  };
}

async function* guarded<T>(messages: AsyncIterable<T>, record: CallRecord, log: Logger) {
  try {
    yield* messages;
  } catch (thrown) {
    throw failureOf(thrown) ?? internal(thrown, record, log);
  }
}

/** The outermost step: everything that comes back passes here. */
async function answer(
  handler: UniversalHandler,
  request: UniversalServerRequest,
  options: PipelineOptions,
): Promise<UniversalServerResponse> {
  const record = recordOf(request.contextValues?.get(recordKey));
  const body = withDeadline(request.body, options.requestTimeoutMs);
  const response = await handler({ ...request, body });
  const { status, header, body: answered } = inOurForm(response, handler, request, record);

  const headers = header ?? new Headers();
  headers.set("x-request-id", record.requestId);
  // Answers carry secrets and personal data.
  headers.set("cache-control", "no-store");
  if (record.error !== undefined && reasonOf(record.error) === "REQUEST_TIMEOUT") {
    // HTTP/1.1 can only stop a sender by closing; an HTTP/2 stream is reset on its own.
    if (request.httpVersion.startsWith("1.")) headers.set("connection", "close");
  }
  const { trailer } = response;
  return {
    status,
    header: headers,
    ...(answered
      ? { body: thenLog(answered, () => logCall(handler, request, record, options)) }
      : {}),
    ...(trailer ? { trailer } : {}),
  };
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
  // Enveloped protocols answer 200 and have the error in their last frame or trailer.
  if (response.status === 200 || record.error === undefined) return response;
  const dialect = dialectOf(request.header);
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
  const given = request.header.get("content-type") ?? "none";
  return unsupportedMediaType(given);
}

/** What went wrong in connect itself, told by how far the call had come. */
function describedBy(error: ConnectError, record: CallRecord, log: Logger): ConnectError {
  if (reasonOf(error) !== undefined) return error;
  const { code, rawMessage } = error;
  if (code === Code.DeadlineExceeded) {
    describe(error, { reason: "DEADLINE_EXCEEDED", message: "The caller's deadline has passed." });
  } else if (code === Code.Canceled || code === Code.Aborted) {
    describe(error, { reason: "CANCELED", message: "The caller gave the call up." });
  } else if (record.phase !== "reading") {
    return Object.assign(error, internal(error, record, log));
  } else if (code === Code.ResourceExhausted) {
    describe(error, { reason: "BODY_TOO_LARGE", message: rawMessage });
  } else if (code === Code.Unimplemented && [...error.metadata].length > 0) {
    // Only where the compression is unknown does connect say in a header what it knows.
    describe(error, { reason: "UNSUPPORTED_COMPRESSION", message: rawMessage });
  } else {
    describe(error, { reason: "MALFORMED_REQUEST", message: rawMessage });
  }
  return error;
}

function internal(thrown: unknown, { requestId }: CallRecord, log: Logger): ConnectError {
  log.error({ requestId, err: thrown }, "a call failed in a way that nobody foresaw");
  const message = `internal error ${requestId}`;
  return failure({ reason: "INTERNAL", message }, { request_id: requestId });
}

async function* thenLog<T>(chunks: AsyncIterable<T>, log: () => void): AsyncGenerator<T> {
  try {
    yield* chunks;
  } finally {
    log();
  }
}

/** One line per call, without a word of what was sent or answered. */
function logCall(
  { method }: UniversalHandler,
  request: UniversalServerRequest,
  { requestId, startedMs, call, error }: CallRecord,
  { log, now }: PipelineOptions,
): void {
  log.info(
    {
      requestId,
      method: `${method.parent.typeName}/${method.name}`,
      dialect: dialectOf(request.header),
      code: error === undefined ? "OK" : (reasonOf(error) ?? "INTERNAL"),
      durationMs: now() - startedMs,
      caller: call?.caller.userId,
      organization: call?.organization,
    },
    "call",
  );
}

function recordOf(record: CallRecord | undefined): CallRecord {
  if (record === undefined) throw new TypeError("the call came in without a record");
  return record;
}
