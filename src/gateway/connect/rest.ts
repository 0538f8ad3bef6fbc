import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { http } from "../../../gen/google/api/annotations_pb.js";
import { unreadQuery, unsupportedMediaType } from "../call/errors.ts";
import { restType } from "../form/forms.ts";
import { isStream, replaceEmpty, requireEmpty } from "./body.ts";

/** One REST path of the contract (`google.api.http`). */
export interface RestRoute {
  /** The HTTP method in upper case. */
  readonly verb: string;
  /** The path with its variables as `:field`, or as `*field` for all that is left of it. */
  readonly path: string;
  readonly handler: UniversalHandler;
  /** Whether the body is the request message; otherwise the path says everything. */
  readonly hasBody: boolean;
}

export function restRoutes(handlers: readonly UniversalHandler[]): readonly RestRoute[] {
  return handlers.flatMap((handler) => {
    const binding = bindingOf(handler.method);
    return binding === undefined ? [] : [{ ...binding, handler }];
  });
}

function bindingOf(method: DescMethod): Omit<RestRoute, "handler"> | undefined {
  if (!hasOption(method, http)) return undefined;
  const { pattern, body } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === "custom") {
    throw new TypeError(`${method.name} has a path without a verb`);
  }
  return {
    verb: pattern.case.toUpperCase(),
    path: pattern.value.replace(/\{(\w+)=\*\*\}$/, "*$1").replaceAll(/\{(\w+)\}/g, ":$1"),
    hasBody: body === "*",
  };
}

/**
 * The request on a REST path as the same call on its RPC path, or the refusal of a query, which
 * would be left unread, and of a content type that is not JSON. Values of the path travel in the
 * call's record.
 */
export function toRpc(
  request: UniversalServerRequest,
  { handler, hasBody }: RestRoute,
): UniversalServerRequest | ConnectError {
  if (/\?./.test(request.url)) return unreadQuery();
  const contentType = request.header.get("content-type");
  if (hasBody && contentType !== null && !restType.test(contentType)) {
    return unsupportedMediaType(contentType);
  }
  const header = new Headers(request.header);
  header.set("content-type", "application/json");
  const whole = { ...request, method: "POST", url: rpcUrl(handler), header };
  if (!hasBody || !isStream(request.body) || header.get("content-length") === "0") {
    return withoutBody(whole);
  }
  // Who sends a body says what it is; without a type only an empty one will do.
  const body = contentType === null ? requireEmpty(request.body) : replaceEmpty(request.body);
  return { ...whole, body };
}

function withoutBody(request: UniversalServerRequest): UniversalServerRequest {
  const header = new Headers(request.header);
  header.delete("content-length");
  header.delete("content-encoding");
  return { ...request, header, body: {} };
}

function rpcUrl({ requestPath }: UniversalHandler): string {
  return `http://localhost${requestPath}`;
}
