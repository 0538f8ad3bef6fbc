import { FetchFailed } from "../fetch/failed.ts";
import type { Send, Sent } from "../fetch/fetcher.ts";
import type { SandboxLimits } from "./limits.ts";

/** What scripts reach by `require("iam/http")`. */
export interface Http {
  readonly send: Send;
  /** Whom they may ask, as URLs have it: a port is there where it is not the usual one. */
  readonly hosts: readonly string[];
}

/** Answers what one run asks of hosts, text for text: neither is to be trusted. */
export type Ask = (asked: string) => Promise<string>;

/** The answer where asking failed as nobody has foreseen. */
export const failedAnswer = JSON.stringify({ problem: "The request failed." } satisfies Told);

/** What a machine is told: an answer, or why there is none. */
type Told =
  | { readonly status: number; readonly type: string; readonly body: string }
  | { readonly problem: string };

/** Makes what answers one run, for its organization and until the signal. */
export function createAsk(
  { send, hosts }: Http,
  { organization, signal }: Pick<Sent, "organization"> & { readonly signal: AbortSignal },
  { httpCalls, httpBytes }: Pick<SandboxLimits, "httpCalls" | "httpBytes">,
): Ask {
  let calls = 0;

  async function answer(text: string): Promise<Told> {
    calls += 1;
    if (calls > httpCalls) return { problem: `A run sends ${httpCalls} requests at most.` };
    const tooMuch = `A request and its answer have ${httpBytes} bytes each at most.`;
    if (Buffer.byteLength(text) > httpBytes) return { problem: tooMuch };
    const request = readRequest(text);
    if ("problem" in request) return request;
    const { url, sent } = request;
    const { protocol, host = "" } = URL.parse(url) ?? {};
    // Also where other URLs may have http.
    if (protocol !== "https:") return { problem: "The URL must have the scheme https." };
    if (!hosts.includes(host)) {
      return { problem: "The operator allows no requests to this host (IAM_ACTIONS_HTTP)." };
    }
    try {
      const { status, mediaType, body } = await send(url, { ...sent, organization, signal });
      if (body.length > httpBytes) return { problem: tooMuch };
      return { status, type: mediaType, body: Buffer.from(body).toString() };
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      return { problem: error.message };
    }
  }

  return async (text) => JSON.stringify(await answer(text));
}

type Request =
  | { readonly url: string; readonly sent: Omit<Sent, "organization"> }
  | { readonly problem: string };

/** What a machine wants sent, which a script may have made. */
function readRequest(text: string): Request {
  const { url, method, headers, body } = objectIn(text);
  if (typeof url !== "string") return { problem: "The URL must be a text." };
  if (method !== "GET" && method !== "POST") return { problem: "The method must be GET or POST." };
  if (body !== undefined && typeof body !== "string")
    return { problem: "The body must be a text." };
  const fields = Object.entries(Object(headers) as object).map(
    ([name, value]) =>
      [name.toLowerCase(), typeof value === "number" ? `${value}` : value] as const,
  );
  if (!fields.every(isField))
    return { problem: "A header field has a name or a value that is not sent." };
  const sent = { method, headers: Object.fromEntries(fields) } as const;
  return { url, sent: body === undefined ? sent : { ...sent, body } };
}

/** Fields of which the connection is made; the client has its own. */
const reserved = new Set([
  ...["accept-encoding", "connection", "content-length", "expect", "host", "keep-alive"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "user-agent"],
]);

/** Whether a field is sent. What is neither a text nor a number is not made one: that may fail. */
function isField(
  field: readonly [name: string, value: unknown],
): field is readonly [string, string] {
  const [name, value] = field;
  if (reserved.has(name) || name.startsWith("proxy-") || typeof value !== "string") return false;
  return /^[a-z0-9-]{1,100}$/.test(name) && /^[\t\x20-\x7e]*$/.test(value);
}

function objectIn(text: string): { readonly [member: string]: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
