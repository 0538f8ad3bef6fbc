import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromJsonString,
  type JsonObject,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { type Arrival, arrivalOf } from "../gateway/call/call.ts";
import { canceled } from "../gateway/call/errors.ts";
import { connectCallKey, ownValues } from "../gateway/connect/call.ts";

/** What a call came to. */
export type Answered<Output extends DescMessage> =
  | { readonly message: MessageShape<Output>; readonly error?: undefined }
  | { readonly message?: undefined; readonly error: ConnectError };

/** Calls a method of the service for the caller of a request that is no call itself. */
export type OwnCall = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  message: MessageInitShape<Input>,
) => Promise<Answered<Output>>;

/**
 * The calls that one request comes to, as JSON callers would make them: they pass all limits and
 * rules and leave a line in the log, under the id of the request. Nothing of its header goes along.
 * Those of a request that is no POST count no wrong code as a try.
 */
export function ownCalls(
  handlers: readonly UniversalHandler[],
  request: UniversalServerRequest,
  { now, ...about }: { readonly now: () => number } & Pick<Arrival, "requestId" | "client">,
): OwnCall {
  return async (method, message) => {
    const handler = handlerOf(handlers, method);
    const contextValues = ownValues(arrivalOf(now(), about), request.method !== "POST");
    const response = await handler({
      ...request,
      method: "POST",
      url: `http://localhost${handler.requestPath}`,
      header: new Headers({ "content-type": "application/json" }),
      body: toJson(method.input, create(method.input, message)) as JsonObject,
      contextValues,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    const error = contextValues.get(connectCallKey)?.error;
    if (error !== undefined) return { error };
    // Nothing is written for a caller who has gone.
    if (request.signal.aborted) return { error: canceled() };
    return { message: fromJsonString(method.output, Buffer.concat(chunks).toString()) };
  };
}

function handlerOf(handlers: readonly UniversalHandler[], method: DescMethod): UniversalHandler {
  const handler = handlers.find((one) => one.method === method);
  if (handler === undefined) throw new TypeError(`${method.name} is not served`);
  return handler;
}
