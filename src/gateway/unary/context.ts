import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { webHeaders } from "./headers.ts";

/** What a handler is told of a unary call, which ends early where nobody waits for it any more. */
export interface UnaryContext extends HandlerContext {
  readonly values: ContextValues;
  /** Ends the handler's signal. */
  end(reason: unknown): void;
}

/** What few handlers ask for is made when they do: all of it would cost more than most calls. */
export function createContext(method: DescMethod, headers: IncomingHttpHeaders): UnaryContext {
  let ending: AbortController | undefined;
  let ended: { readonly reason: unknown } | undefined;
  return {
    method,
    service: method.parent,
    requestMethod: "POST",
    protocolName: "connect",
    url: `http://localhost/${method.parent.typeName}/${method.name}`,
    values: createContextValues(),
    timeoutMs: () => undefined,
    get requestHeader() {
      return webHeaders(headers);
    },
    get responseHeader() {
      return new Headers();
    },
    get responseTrailer() {
      return new Headers();
    },
    get signal() {
      ending ??= new AbortController();
      if (ended !== undefined) ending.abort(ended.reason);
      return ending.signal;
    },
    end: (reason) => {
      ended = { reason };
      ending?.abort(reason);
    },
  };
}
