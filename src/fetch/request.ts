import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { type Address, readAddress } from "./address.ts";
import { type AllowList, mayConnect } from "./allow.ts";
import { FetchFailed } from "./failed.ts";

/** Bytes of a body, which is never decompressed, and of all header fields of one answer. */
export const bodyBytesMax = 1024 * 1024;
export const headerBytesMax = 16 * 1024;

/** Interim answers (1xx) before the one that counts, and pieces in which a body may come. */
export const interimMax = 8;
export const chunksMax = 10_000;

/** All addresses of a host name; rejects where there are none, or when the signal fires before. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface RequestOptions {
  readonly url: URL;
  /** What messages call the URL. */
  readonly subject: string;
  readonly allow: AllowList;
  readonly ca?: string;
  readonly resolve: Resolve;
  /** Left out, it is a GET. */
  readonly method?: "GET" | "POST";
  /** Besides those that each request has; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The status whose body is read; left out, that of every answer. */
  readonly readStatus?: number;
  /** Ends the request; its reason is then what the request rejects with. */
  readonly signal: AbortSignal;
}

export interface Fetched {
  readonly status: number;
  /** The media type in lower case, without parameters; empty where none was sent. */
  readonly mediaType: string;
  readonly location?: string;
  /** Empty where it was not to be read. */
  readonly body: Uint8Array;
}

/** One request without redirects, on a connection of its own that is gone when it settles. */
export async function request(options: RequestOptions): Promise<Fetched> {
  const { url, subject, method = "GET", headers, body, readStatus } = options;
  checkLiteral(options);
  const { Client } = await loadUndici();
  const gone = new AbortController();
  const signal = AbortSignal.any([options.signal, gone.signal]);
  let isConnected = false;
  let interim = 0;
  // Of its own: no connection is kept or shared, and none goes through a proxy.
  const client = new Client(url.origin, {
    pipelining: 0,
    maxHeaderSize: headerBytesMax,
    maxResponseSize: bodyBytesMax,
    connect: {
      lookup: checkedLookup({ ...options, signal }),
      signal,
      // Said expressly, because an environment variable can turn it off.
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    },
  });
  client.once("connect", () => {
    isConnected = true;
  });
  try {
    const response = await client.request({
      ...{ method, path: url.pathname + url.search, ...(body === undefined ? {} : { body }) },
      headers: { accept: "*/*", ...headers, "accept-encoding": "identity", "user-agent": "iam" },
      onInfo: () => {
        interim += 1;
        if (interim > interimMax) gone.abort(tooMany(subject, "interim answers"));
      },
      signal,
    });
    // Stays attached: errors after the end concern nobody.
    response.body.on("error", () => {});
    const { location, "content-type": type } = response.headers;
    const isRead = readStatus === undefined || readStatus === response.statusCode;
    return {
      status: response.statusCode,
      mediaType: mediaTypeOf(type),
      ...(typeof location === "string" ? { location } : {}),
      body: isRead ? await readBody(response, subject) : new Uint8Array(),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof FetchFailed ? error : failureOf(error, isConnected, options);
  } finally {
    gone.abort();
    await client.destroy();
  }
}

/** It takes a tenth of a second to load, which a service that fetches nothing need not spend. */
export function loadUndici() {
  return import("undici");
}

/** An address in the URL itself is never looked up, so it is checked here. */
function checkLiteral(options: RequestOptions): void {
  const address = readAddress(options.url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (address !== undefined) checkAddress(address, options);
}

/**
 * Looks a name up once and hands only checked addresses to the socket, which connects to one of
 * them. One forbidden address forbids the name: a mixture is an attempt to get past the check.
 */
function checkedLookup(options: RequestOptions): LookupFunction {
  const resolveChecked = async (name: string) => {
    const texts = await options.resolve(name, options.signal).catch(() => []);
    options.signal.throwIfAborted();
    if (texts.length === 0) throw nowhere("NOT_REACHED", options.subject);
    return texts.map((text) => {
      const address = readAddress(text);
      if (address === undefined) throw nowhere("ADDRESS_NOT_ALLOWED", options.subject);
      checkAddress(address, options);
      return { address: text, family: text.includes(":") ? 6 : 4 };
    });
  };
  return (name, { all }, callback) => {
    resolveChecked(name).then(
      (addresses) => {
        const [first] = addresses;
        if (all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error) => callback(error, ""),
    );
  };
}

function checkAddress(address: Address, { url, allow, subject }: RequestOptions): void {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (!mayConnect(allow, address, port)) throw nowhere("ADDRESS_NOT_ALLOWED", subject);
}

/** One sentence for both, or names inside the operator's network could be told from none. */
function nowhere(reason: "NOT_REACHED" | "ADDRESS_NOT_ALLOWED", subject: string): FetchFailed {
  return new FetchFailed(
    reason,
    `${subject} leads to no allowed address. Its host is unknown, or has a loopback, ` +
      "private or special-purpose address; only the operator can allow that " +
      "(IAM_FETCH_ALLOW).",
  );
}

function readBody(
  { headers, body }: Dispatcher.ResponseData,
  subject: string,
): Promise<Uint8Array> {
  const { "content-encoding": content = "", "transfer-encoding": transfer = "" } = headers;
  if (!/^(?:identity)?$/i.test(String(content)) || !/^(?:chunked)?$/i.test(String(transfer))) {
    throw new FetchFailed(
      "ANSWER_UNUSABLE",
      `${subject} was answered with a compressed body: it must be sent uncompressed.`,
    );
  }
  const chunks: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    // Read piece by piece as they come: an iterator would show many as one.
    body.on("data", (chunk: Uint8Array) => {
      if (chunks.push(chunk) > chunksMax) reject(tooMany(subject, "pieces of a body"));
    });
    body.once("end", () => resolve(Buffer.concat(chunks)));
    body.once("error", reject);
  });
}

/** Each interim answer and each piece costs time, however small it is. */
function tooMany(subject: string, what: string): FetchFailed {
  const message = `${subject} was answered with too many ${what}.`;
  return new FetchFailed("ANSWER_UNUSABLE", message);
}

function mediaTypeOf(header: string | string[] | undefined): string {
  const [type = ""] = String(header ?? "").split(";");
  return /^\s*([\w.+-]{1,127}\/[\w.+-]{1,127})\s*$/.exec(type)?.[1]?.toLowerCase() ?? "";
}

function failureOf(error: unknown, isConnected: boolean, options: RequestOptions): FetchFailed {
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const what = isConnected
    ? whatAnswered(error as NodeJS.ErrnoException)
    : // What the system refuses is told by its call, for several addresses by one error for all.
      syscall === "connect" || error instanceof AggregateError || options.url.protocol === "http:"
      ? "leads to a server that could not be reached"
      : "leads to a server where no trusted TLS connection could be made";
  // Codes like ECONNREFUSED tell enough; messages hold addresses, and undici's codes its name.
  const detail = /^(?!UND_)\w+$/.test(code) ? ` (${code})` : "";
  return new FetchFailed(
    isConnected ? "ANSWER_UNUSABLE" : "NOT_REACHED",
    `${options.subject} ${what}${detail}.`,
  );
}

function whatAnswered({ code, name, message }: NodeJS.ErrnoException): string {
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return `was answered with a body larger than ${bodyBytesMax} bytes`;
  }
  // An end that comes too early is an error of the parser, too.
  const isNoHttp = name === "HTTPParserError" && !message.includes("EOF");
  return isNoHttp || code === "UND_ERR_HEADERS_OVERFLOW"
    ? "was answered with invalid HTTP or too large header fields"
    : "leads to a server that closed the connection too early";
}
