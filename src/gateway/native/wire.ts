import type { IncomingMessage, ServerResponse } from "node:http";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Form } from "../call/form.ts";
import { isPlain } from "../call/headers.ts";
import type { Paths } from "../call/paths.ts";
import type { RestRoute } from "../connect/rest.ts";
import { restForm, restType, usualForms } from "../form/forms.ts";
import type { CallOptions } from "./call.ts";
import { type Exchange, http1Exchange, http2Exchange } from "./exchange.ts";
import { createRunner } from "./run.ts";
import type { Target, UnaryMethod } from "./target.ts";

export interface NativeWireOptions extends CallOptions {
  readonly methods: readonly UnaryMethod[];
  readonly paths: Paths<{ readonly route?: RestRoute }>;
  /** Whether answers to the pages of other origins carry fields that are not known here. */
  readonly hasCors: boolean;
}

/**
 * The native wire of unary calls: from bytes to handler and back without Fastify and Connect. It
 * takes what is usual; everything else takes Connect's wire, which serves every call.
 */
export interface NativeWire {
  /** Whether the request is taken, to be answered here. */
  http1(request: IncomingMessage, response: ServerResponse): boolean;
  http2(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ): boolean;
}

export function createNativeWire(options: NativeWireOptions): NativeWire {
  const run = createRunner(options);
  const byPath = new Map(options.methods.map((one) => [pathOf(one.method), one]));
  const byMethod = new Map(options.methods.map((one) => [one.method, one]));

  function targetOf(exchange: Exchange): Target | undefined {
    const { verb, path, headers } = exchange;
    const contentType = headers["content-type"];
    const unary = byPath.get(path);
    if (unary !== undefined) {
      const form = verb === "POST" ? formOf(exchange) : undefined;
      return form && { unary, form };
    }
    const found = unusualPath.test(path) ? undefined : options.paths.find(verb, path);
    // There, only Connect itself speaks as Connect's clients expect it.
    if (found === undefined || "connect-protocol-version" in headers) return undefined;
    const {
      pathFields,
      target: { route },
    } = found;
    const called = route && byMethod.get(route.handler.method);
    if (route === undefined || called === undefined) return undefined;
    const isUsual = route.hasBody
      ? restType.test(contentType ?? "")
      : (headers["content-length"] ?? "0") === "0" && !("transfer-encoding" in headers);
    if (!isUsual) return undefined;
    return { unary: called, form: restForm, rest: { route, pathFields } };
  }

  function take(exchange: Exchange, rawHeaders: readonly string[]): boolean {
    const { headers } = exchange;
    if (options.stopping.aborted) return false;
    if (options.hasCors && "origin" in headers) return false;
    if (!isPlain(rawHeaders, exchange.httpVersion, options.limits.headerBytesMax)) return false;
    const target = targetOf(exchange);
    if (target === undefined) return false;
    return run(exchange, target);
  }

  return {
    http1: (request, response) =>
      request.httpVersion === "1.1" && take(http1Exchange(request, response), request.rawHeaders),
    http2: (stream, headers, rawHeaders) => take(http2Exchange(stream, headers), rawHeaders),
  };
}

/** A query, characters to be decoded, or what is no path. */
const unusualPath = /^[^/]|[%?#]/;

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

const [plainForms, connectForms] = [usualForms(false), usualForms(true)];

function formOf({ httpVersion, headers }: Exchange): Form | undefined {
  const isConnect = "connect-protocol-version" in headers;
  const form = (isConnect ? connectForms : plainForms).get(headers["content-type"] ?? "");
  // Trailers of HTTP/1.1 are chunked, and few send gRPC there.
  return form?.name === "grpc" && httpVersion === "1.1" ? undefined : form;
}
