import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { webHeaders } from "../call/headers.ts";

/**
 * What a handler is told of a unary call. The call ends early when its caller has gone. Members
 * that few handlers ask for are made on demand: making all would cost more than most calls.
 */
export class UnaryContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly values: ContextValues = createContextValues();
  readonly method: DescMethod;
  readonly #headers: IncomingHttpHeaders;
  #responseHeader: Headers | undefined;
  #ending: AbortController | undefined;
  #ended: { readonly reason: unknown } | undefined;

  constructor(method: DescMethod, headers: IncomingHttpHeaders) {
    this.method = method;
    this.#headers = headers;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get url(): string {
    return `http://localhost/${this.method.parent.typeName}/${this.method.name}`;
  }

  get requestHeader(): Headers {
    return webHeaders(this.#headers);
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  /** The header fields that the handler has set. */
  get setFields(): { readonly [name: string]: string } {
    return this.#responseHeader === undefined ? {} : Object.fromEntries(this.#responseHeader);
  }

  get responseTrailer(): Headers {
    return new Headers();
  }

  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#ended !== undefined) this.#ending.abort(this.#ended.reason);
    return this.#ending.signal;
  }

  timeoutMs(): undefined {
    return undefined;
  }

  /** Ends the handler's signal. */
  end(reason: unknown): void {
    this.#ended = { reason };
    this.#ending?.abort(reason);
  }
}
