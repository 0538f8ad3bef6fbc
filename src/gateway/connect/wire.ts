import type { Message } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import type {
  UniversalHandler,
  UniversalHandlerOptions,
  UniversalServerRequest,
  UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { fieldsOf } from "../call/answer-fields.ts";
import { keepEach } from "../call/answers.ts";
import { parserLimits } from "../call/elements.ts";
import {
  canceled,
  copyRefusal,
  explain,
  failure,
  internal,
  unsupportedMediaType,
} from "../call/errors.ts";
import { refusalIn, toUniversal } from "../call/form.ts";
import { pieceBytesMax } from "../call/pieces.ts";
import { arriving, end, handling, take, type WireOptions } from "../call/steps.ts";
import { isUnreadHere, type Unread } from "../call/unread.ts";
import { withServedType } from "../form/forms.ts";
import { withMarks } from "../form/grpc.ts";
import { compressions, compressMinBytes } from "./body.ts";
import { type ConnectCall, connectCallKey, createConnectCall } from "./call.ts";
import { removeFarDeadline } from "./early-end.ts";
import { readingOf, takeIn } from "./intake.ts";
import { explainEnd } from "./misread.ts";
import { admitMessages, endWithServer, guardMessages } from "./stream.ts";

/** The way of a call through Connect's handlers, for every method, form and stream. */
export interface Pipeline {
  /** What connect has to be told. */
  readonly connect: Partial<UniversalHandlerOptions>;
  /** A connect handler that refuses in our form, keeps deadlines and logs. */
  wrap(handler: UniversalHandler): UniversalHandler;
}

export function createPipeline(options: WireOptions): Pipeline {
  return {
    connect: {
      binaryOptions: parserLimits,
      acceptCompression: [...compressions],
      compressMinBytes,
      readMaxBytes: options.limits.bodyBytesMax,
      requestGate: (context) => arrive(context, options),
      interceptors: [createInterceptor(options)],
    },
    wrap: (handler) => {
      const wrapped = async (request: UniversalServerRequest) => {
        const call = createConnectCall(handler, request, options.rules);
        try {
          return await answer(handler, request, call, options);
        } catch (thrown) {
          // Connect's plugin would write it to the console, and answer nothing.
          const error = internal(thrown, call.requestId, options.log);
          return toUniversal(refusalIn(call.form, error));
        }
      };
      // The function has its description as properties.
      return Object.assign(wrapped, { ...handler });
    },
  };
}

/** The first steps: before the body is read. */
async function arrive({ values, signal }: HandlerContext, options: WireOptions): Promise<void> {
  const call = callIn(values);
  // The deadline ends a call, and so does the caller who goes, and connect: without an error when
  // the call is answered, with the error just before connect writes that to the wire.
  const end = () => {
    const error: unknown = signal.reason;
    if (signal.reason?.name === "AbortError" && error !== call.gone.reason) return;
    call.error ??= explainEnd(error, call, readingOf(call, options), options.log);
    if (error instanceof ConnectError) copyRefusal(call.error, error);
    call.earlyEnd.fail(call.error);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
  try {
    await call.earlyEnd.race(take(arriving, call, options));
  } catch (thrown) {
    throw explain(thrown, call, options.log);
  }
  call.phase = "reading";
}

/** The steps around the handler, when a message has been read. */
function createInterceptor(options: WireOptions): Interceptor {
  const { log, answers } = options;
  return (next) => async (request) => {
    const { method, contextValues } = request;
    const call = callIn(contextValues);
    const admit = async (message: Message) => {
      call.message = message;
      await take(handling, call, options);
    };
    call.phase = "handling";
    try {
      const entering = request.stream
        ? { ...request, message: admitMessages(request, readingOf(call, options), admit) }
        : request;
      if (!request.stream) await admit(request.message);
      const response = await call.earlyEnd.race(next(entering));
      if (response.stream) {
        endWithServer(request, call.earlyEnd, options.stopping);
        const messages = guardMessages(response.message, call, log);
        const isKept = call.rule.kind === "open";
        const message = isKept ? keepEach(messages, answers, call.earlyEnd.fail) : messages;
        return { ...response, message };
      }
      if (!isUnreadHere(call)) {
        const { byteLength } = call.form.encode(method, response.message);
        endWith(call.gone, answers.hold(byteLength).end);
      }
      call.phase = "answering";
      return response;
    } catch (thrown) {
      throw explain(thrown, call, log);
    }
  };
}

/** The outermost step, which every call enters first and every answer passes last. */
async function answer(
  handler: UniversalHandler,
  request: UniversalServerRequest,
  call: ConnectCall,
  options: WireOptions,
): Promise<UniversalServerResponse> {
  const { form, method } = call;
  const header = removeFarDeadline(withServedType(request.header), form);
  const intake = takeIn({ ...request, header }, call, options);
  const response = await handler({ ...request, ...intake });
  if (response.body === undefined) call.error = countUnanswered(response.status, call, options);
  const { body: answered, trailer, ...rest } = amend(response, call);

  const headers = rest.header ?? new Headers();
  const fields = Object.entries(fieldsOf(call, request.httpVersion));
  for (const [name, value] of fields) headers.set(name, value);
  const isStreamed = method.methodKind !== "unary";
  let isFinished = false;
  const finish = (isWhole: boolean) => {
    if (isFinished) return;
    isFinished = true;
    // A stream that nobody took to its end was not answered, whatever its handler came to.
    if (!isWhole && isStreamed) call.error ??= canceled();
    if (trailer) withMarks(trailer);
    end(call, options);
  };
  // A stream whose caller is gone would never finish.
  if (isStreamed) request.signal.addEventListener("abort", () => finish(false));
  return {
    ...rest,
    header: headers,
    ...(answered ? { body: writeWhileWanted(answered, call, options.unread, finish) } : {}),
    ...(trailer ? { trailer } : {}),
  };
}

/** The answer of connect in the caller's form. */
function amend(
  response: UniversalServerResponse,
  { error, form }: ConnectCall,
): UniversalServerResponse {
  if (error === undefined) return response;
  return response.body === undefined
    ? toUniversal(refusalIn(form, error))
    : form.amend(response, error);
}

/** Counts a call that was not given to a handler for its address; answers why it was not. */
function countUnanswered(status: number, call: ConnectCall, { pace }: WireOptions): ConnectError {
  const error = explainUnanswered(status, call);
  return call.sender === undefined ? error : pace.refusalFor(call.sender, error);
}

/** Explains why connect has given a request to no handler, and answered no body. */
function explainUnanswered(status: number, { method, header, form }: ConnectCall): ConnectError {
  if (status === 505) {
    const message = "This method streams in both directions, which needs HTTP/2.";
    return failure({ reason: "UNSUPPORTED_MEDIA_TYPE", message });
  }
  // JSON alone has no form for several messages; Connect puts each into a frame.
  const isStream = method.methodKind !== "unary" && form.offered === "application/json";
  const instead = isStream ? "application/connect+json" : form.offered;
  return unsupportedMediaType(header.get("content-type"), instead);
}

/** Writes the answer as long as its caller is there to read it: later, writing would only fail. */
async function* writeWhileWanted(
  chunks: AsyncIterable<Uint8Array>,
  call: ConnectCall,
  unread: Unread,
  finish: (isWhole: boolean) => void,
) {
  const { gone, sender } = call;
  const count = (bytes: number) =>
    sender && isUnreadHere(call) ? unread.count(sender, bytes) : () => {};
  let leave = () => {};
  let isWhole = false;
  let last = 0;
  // While a piece waits behind other answers, nobody asks for the next one.
  endWith(gone, () => leave());
  try {
    for await (const chunk of chunks) {
      last = chunk.byteLength;
      leave = count(last);
      for (let at = 0; at === 0 || at < last; at += pieceBytesMax) {
        if (gone.aborted) return;
        yield chunk.subarray(at, at + pieceBytesMax);
      }
      leave();
    }
    isWhole = true;
    // The last one waits with the end of the answer.
    leave = count(last);
  } finally {
    if (!isWhole || gone.aborted) leave();
    finish(isWhole);
  }
}

/** Calls this when the caller of an answer is gone, which may be now. */
function endWith(gone: AbortSignal, end: () => void): void {
  if (gone.aborted) end();
  else gone.addEventListener("abort", end);
}

function callIn(values: HandlerContext["values"]): ConnectCall {
  const call = values.get(connectCallKey);
  if (call === undefined) throw new TypeError("the request was made no call");
  return call;
}
