import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import type {
  UniversalHandler,
  UniversalHandlerOptions,
  UniversalServerRequest,
  UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import type { Logger } from "pino";
import type { Shares } from "../port/shares.ts";
import { answerFields } from "./answer-fields.ts";
import { type Answers, bytesIn, holdEach } from "./answers.ts";
import { compressions, strictText } from "./body.ts";
import { type Budget, createBudget } from "./budget.ts";
import { type CallLine, type CallRecord, knownCallKey, namesOf, recordKey } from "./call-record.ts";
import { removeFarDeadline } from "./deadline.ts";
import { type Dialect, decodeMarks, dialectOf, toUniversal } from "./dialect.ts";
import { encodingOf, parserLimits } from "./elements.ts";
import {
  canceled,
  copyRefusal,
  explain,
  failure,
  reasonOf,
  unsupportedMediaType,
} from "./errors.ts";
import { checkFields } from "./fields.ts";
import type { Gate, Rules } from "./gate.ts";
import { isOpen, readingOf, takeIn } from "./intake.ts";
import type { GatewayLimits } from "./limits.ts";
import { explainEnd } from "./misread.ts";
import { takeOpenCall } from "./sender.ts";
import { admitMessages, endWithServer, guardMessages } from "./stream.ts";

export interface PipelineOptions {
  readonly gate: Gate;
  readonly rules: Rules;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  readonly now: () => number;
  readonly limits: GatewayLimits;
  /** Calls of methods that ask for no token. */
  readonly openCalls: Shares;
  /** Of them, those that stay open as long as their callers want. */
  readonly openStreams: Shares;
  readonly answers: Answers;
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
  /** What bodies of all calls together may hold. */
  readonly budget: Budget;
  /** A connect handler that refuses in our form, keeps deadlines and logs. */
  wrap(handler: UniversalHandler): UniversalHandler;
}

export function createPipeline(pipelineOptions: PipelineOptions): Pipeline {
  const options = { ...pipelineOptions, budget: createBudget() };
  const jsonOptions = { ignoreUnknownFields: false, textDecoder: strictText, ...parserLimits };
  return {
    budget: options.budget,
    connect: {
      jsonOptions,
      binaryOptions: parserLimits,
      acceptCompression: [...compressions],
      readMaxBytes: options.limits.bodyBytesMax,
      requestGate: (context) => passGate(context, options),
      interceptors: [createInterceptor(options)],
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
  const record = requireRecord(context.values.get(recordKey));
  const { signal } = context;
  // The deadline ends a call, and so does the caller who goes, and connect: without an error when
  // the call is answered, with the error just before connect writes that to the wire.
  const end = () => {
    const error: unknown = signal.reason;
    if (signal.reason?.name === "AbortError" && error !== record.gone?.reason) return;
    const reading = readingOf(context.method, options);
    record.error ??= explainEnd(error, record, reading, options.log);
    if (error instanceof ConnectError) copyRefusal(record.error, error);
    record.earlyEnd.fail(record.error);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  try {
    if (isOpen(context.method, options) && record.sender !== undefined) {
      endWith(record.gone, takeOpenCall(record.sender, options.openCalls));
      const isStream = context.method.methodKind !== "unary";
      if (isStream) endWith(record.gone, takeOpenCall(record.sender, options.openStreams));
    }
    const entered = options.gate.enter(
      { header: context.requestHeader, values: context.values },
      options.rules.of(context.method),
    );
    await record.earlyEnd.race(entered);
  } catch (thrown) {
    throw explain(thrown, record, options.log);
  }
  record.phase = "reading";
}

/** Gives back what a call holds, when it is over. */
function endWith(gone: AbortSignal | undefined, giveBack: () => void): void {
  if (gone?.aborted) giveBack();
  else gone?.addEventListener("abort", giveBack);
}

/** The second step: around the handler, when the message has been read. */
function createInterceptor(options: Shared): Interceptor {
  const { gate, rules, log, answers } = options;
  return (next) => async (request) => {
    const { method, header, contextValues } = request;
    const record = requireRecord(contextValues.get(recordKey));
    const admit = async (message: Message) => {
      const checking = checkFields(method.input, message);
      if (checking !== undefined) await checking;
      await gate.confirm({ header, values: contextValues, message }, rules.of(method));
    };
    record.phase = "handling";
    try {
      const reading = readingOf(method, options);
      const entering = request.stream
        ? { ...request, message: admitMessages(request, reading, admit) }
        : request;
      if (!request.stream) {
        for (const field of method.input.fields) {
          const fromPath = record.pathFields[field.name];
          if (fromPath !== undefined)
            Object.assign(request.message, { [field.localName]: fromPath });
        }
        await admit(request.message);
      }
      const response = await record.earlyEnd.race(next(entering));
      if (response.stream) {
        endWithServer(request, record.earlyEnd, options.stopping);
        const messages = guardMessages(response.message, record, log);
        const isHeld = isOpen(method, options);
        const message = isHeld ? holdEach(messages, answers) : messages;
        return { ...response, message };
      }
      const contentType = header.get("content-type") ?? "";
      const lease = answers.hold(bytesIn(method.output, response.message, contentType));
      endWith(record.gone, lease.end);
      record.phase = "answering";
      return response;
    } catch (thrown) {
      throw explain(thrown, record, log);
    }
  };
}

/** The outermost step, which every call enters first and every answer passes last. */
async function answer(
  handler: UniversalHandler,
  request: UniversalServerRequest,
  options: Shared,
): Promise<UniversalServerResponse> {
  const record = requireRecord(request.contextValues?.get(recordKey));
  record.gone = request.signal;
  const header = removeFarDeadline(request.header);
  record.encoding = encodingOf(header.get("content-type"));
  const dialect = dialectOf(header);
  const intake = takeIn({ ...request, header }, handler.method, record.earlyEnd, options);
  const response = await handler({ ...request, ...intake });
  if (response.body === undefined) {
    record.error = explainUnanswered(response.status, handler, header, dialect);
  }
  const amended = amend(response, record, dialect);
  const { body: answered, trailer, ...rest } = amended;

  const headers = rest.header ?? new Headers();
  headers.set("x-request-id", record.requestId);
  for (const [name, value] of Object.entries(answerFields)) headers.set(name, value);
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
    if (trailer) decodeMarks(trailer);
    logAnswer(handler, dialect, request, options);
  };
  // A stream whose caller is gone would never finish.
  if (isStreamed) request.signal.addEventListener("abort", () => finish(false));
  return {
    ...rest,
    header: headers,
    ...(answered ? { body: writeWhileWanted(answered, request.signal, finish) } : {}),
    ...(trailer ? { trailer } : {}),
  };
}

/** The answer of connect in the caller's dialect. */
function amend(
  response: UniversalServerResponse,
  { error }: CallRecord,
  dialect: Dialect,
): UniversalServerResponse {
  if (error === undefined) return response;
  return response.body === undefined
    ? toUniversal(dialect.refuse(error))
    : dialect.amend(response, error);
}

/** Explains why connect has given a request to no handler, and answered no body. */
function explainUnanswered(
  status: number,
  { method }: UniversalHandler,
  header: Headers,
  { contentType }: Dialect,
): ConnectError {
  if (status === 505) {
    const message = "This method streams in both directions, which needs HTTP/2.";
    return failure({ reason: "UNSUPPORTED_MEDIA_TYPE", message });
  }
  // JSON alone has no form for several messages; Connect puts each into a frame.
  const isStream = method.methodKind !== "unary" && contentType === "application/json";
  const instead = isStream ? "application/connect+json" : contentType;
  return unsupportedMediaType(header.get("content-type"), instead);
}

/** Bytes that are written at once: whether a peer takes some shows in what it takes whole. */
const pieceBytesMax = 16 * 1024;

/** Writes the answer as long as its caller is there to read it: later, writing would only fail. */
async function* writeWhileWanted(
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

function logAnswer(
  { method }: UniversalHandler,
  dialect: Dialect,
  { contextValues }: UniversalServerRequest,
  { logCall, now }: PipelineOptions,
): void {
  const { requestId, startedMs, client, error } = requireRecord(contextValues?.get(recordKey));
  logCall({
    requestId,
    method: `${method.parent.typeName}/${method.name}`,
    dialect: dialect.name,
    code: error === undefined ? "OK" : (reasonOf(error) ?? "INTERNAL"),
    durationMs: now() - startedMs,
    ...namesOf(contextValues?.get(knownCallKey)),
    ...client,
  });
}

function requireRecord(record: CallRecord | undefined): CallRecord {
  if (record === undefined) throw new TypeError("the call came in without a record");
  return record;
}
