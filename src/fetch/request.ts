import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { type Address, readAddress } from "./address.ts";
import { type AllowList, mayConnect } from "./allow.ts";
import { FetchFailed } from "./failed.ts";

/** All addresses of a host name; rejects where there are none, or when the signal fires before. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface RequestOptions {
  readonly url: URL;
  /** What messages call the URL. */
  readonly subject: string;
  readonly allow: AllowList;
  readonly ca?: string;
  readonly resolve: Resolve;
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly interimMax: number;
  readonly chunksMax: number;
  /** Ends the request; its reason is then what the request rejects with. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** The media type in lower case, without parameters; empty where none was sent. */
  readonly contentType: string;
  readonly location?: string;
  /** Empty unless the status is 200: nobody reads the others. */
  readonly body: Uint8Array;
}

/** How far a request got; an error means something else at each step. */
type Step = "connecting" | "securing" | "answering";

/** One GET without redirects, on a connection of its own that is gone when the promise settles. */
export async function request(options: RequestOptions): Promise<Answer> {
  const { signal, subject } = options;
  checkLiteral(options);
  signal.throwIfAborted();
  let step: Step = "connecting";
  const sent = send(options, (reached) => {
    step = reached;
  });
  const abort = () => sent.destroy();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await responseTo(sent, options);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    return {
      status,
      contentType: mediaType(response),
      ...(location === undefined ? {} : { location }),
      body: status === 200 ? await readBody(response, options) : new Uint8Array(),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof FetchFailed ? error : failureAt(step, error, subject);
  } finally {
    signal.removeEventListener("abort", abort);
    sent.destroy();
  }
}

function send(options: RequestOptions, reach: (step: Step) => void): ClientRequest {
  const { url, ca } = options;
  const secure = url.protocol === "https:";
  const sent = (secure ? httpsRequest : httpRequest)(url, {
    // A fresh agent: no connection is kept or shared, and none goes through a proxy.
    agent: false,
    lookup: checkedLookup(options),
    maxHeaderSize: options.headerBytesMax,
    headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "iam" },
    // Said expressly, because an environment variable can turn it off.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
  sent.once("socket", (socket) => {
    socket.once("connect", () => reach(secure ? "securing" : "answering"));
    socket.once("secureConnect", () => reach("answering"));
  });
  sent.end();
  return sent;
}

/** An address in the URL itself is never looked up, so it is checked here. */
function checkLiteral(options: RequestOptions): void {
  const address = readAddress(options.url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (address !== undefined) checkAddress(address, options);
}

/**
 * Looks a name up once and hands only checked addresses to the socket, which connects to one of
 * them. One forbidden address forbids the name: whoever mixes them wants to get past a check.
 */
function checkedLookup(options: RequestOptions): LookupFunction {
  const resolveChecked = async (name: string) => {
    const texts = await options.resolve(name, options.signal).catch(() => []);
    if (texts.length === 0) {
      throw new FetchFailed(
        "NAME_NOT_RESOLVED",
        `${options.subject} has a host name that could not be resolved.`,
      );
    }
    return texts.map((text) => {
      const address = readAddress(text);
      if (address === undefined) throw notAllowed(options.subject);
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
  if (!mayConnect(allow, address, port)) throw notAllowed(subject);
}

function notAllowed(subject: string): FetchFailed {
  return new FetchFailed(
    "ADDRESS_NOT_ALLOWED",
    `${subject} leads to a loopback, private or otherwise special address, which only the ` +
      "operator can allow (IAM_FETCH_ALLOW).",
  );
}

function responseTo(
  sent: ClientRequest,
  { subject, interimMax }: RequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve);
    let interim = 0;
    sent.on("information", () => {
      interim += 1;
      if (interim <= interimMax) return;
      reject(tooMany(subject, "interim answers"));
      sent.destroy();
    });
    // Stays for good: what goes wrong after the end concerns nobody.
    sent.on("error", reject);
    // An answer that wants to change the protocol ends without response and without error.
    sent.once("close", () => reject(new TypeError("closed without an answer")));
  });
}

async function readBody(
  response: IncomingMessage,
  { subject, bodyBytesMax, chunksMax }: RequestOptions,
): Promise<Uint8Array> {
  const { "content-encoding": content, "transfer-encoding": transfer } = response.headers;
  if (!/^(?:identity)?$/i.test(content ?? "") || !/^(?:chunked)?$/i.test(transfer ?? "")) {
    throw new FetchFailed(
      "ENCODING_NOT_ALLOWED",
      `${subject} was answered with a compressed body: it must be sent as it is.`,
    );
  }
  const tooLarge = () =>
    new FetchFailed(
      "BODY_TOO_LARGE",
      `${subject} was answered with a body larger than ${bodyBytesMax} bytes.`,
    );
  if (Number(response.headers["content-length"] ?? 0) > bodyBytesMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    // Read piece by piece as they come: an iterator would show many as one.
    response.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > bodyBytesMax) response.destroy(tooLarge());
      else if (chunks.length > chunksMax) response.destroy(tooMany(subject, "pieces of a body"));
    });
    response.once("end", () => resolve(Buffer.concat(chunks)));
    response.on("error", reject);
  });
}

/** Each interim answer and each piece costs time, however small it is. */
function tooMany(subject: string, what: string): FetchFailed {
  const message = `${subject} was answered with more ${what} than are awaited.`;
  return new FetchFailed("RESPONSE_INVALID", message);
}

function mediaType({ headers }: IncomingMessage): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return /^\s*([\w.+-]{1,127}\/[\w.+-]{1,127})\s*$/.exec(type)?.[1]?.toLowerCase() ?? "";
}

/** Codes such as ECONNREFUSED tell enough; Node's messages hold addresses. */
function failureAt(step: Step, error: unknown, subject: string): FetchFailed {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const known = typeof code === "string" && /^\w+$/.test(code) ? code : "";
  const detail = known && ` (${known})`;
  if (known.startsWith("HPE_")) {
    return new FetchFailed(
      "RESPONSE_INVALID",
      `${subject} was answered with something that is not HTTP, or with too large header ` +
        `fields${detail}.`,
    );
  }
  if (step === "securing") {
    return new FetchFailed(
      "TLS_FAILED",
      `${subject} leads to a server with which no trusted TLS connection could be made${detail}.`,
    );
  }
  return new FetchFailed(
    "CONNECTION_FAILED",
    step === "connecting"
      ? `${subject} leads to a server that could not be reached${detail}.`
      : `${subject} leads to a server that broke the connection off${detail}.`,
  );
}
