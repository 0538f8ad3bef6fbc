import { lookup } from "node:dns/promises";
import { isHttpUrl } from "../http-url.ts";
import type { AllowList } from "./allow.ts";
import { FetchFailed } from "./failed.ts";
import { type Resolve, request } from "./request.ts";
import { createSlots } from "./slots.ts";

export interface FetchLimits {
  /** Milliseconds from the call to the last byte: waiting, names, TLS and redirects included. */
  readonly timeoutMs: number;
  /** Bytes of a body, which is never decompressed. */
  readonly bodyBytesMax: number;
  /** Bytes of all header fields of one answer. */
  readonly headerBytesMax: number;
  readonly redirectsMax: number;
  /** Fetches that run at once, and those that wait for one of them to end. */
  readonly concurrentMax: number;
  readonly waitingMax: number;
  /**
   * Host names that the system looks up at once. It cannot be told to stop, and mails and SMS wait
   * for the same few threads, so a name server that does not answer must not get all of them.
   */
  readonly lookupsMax: number;
  /** Interim answers (1xx) before the one that counts, and pieces in which a body may come. */
  readonly interimMax: number;
  readonly chunksMax: number;
}

export const defaultFetchLimits: FetchLimits = {
  timeoutMs: 5_000,
  bodyBytesMax: 1024 * 1024,
  headerBytesMax: 16 * 1024,
  redirectsMax: 3,
  concurrentMax: 16,
  waitingMax: 64,
  lookupsMax: 1,
  interimMax: 8,
  chunksMax: 10_000,
};

/** Characters of a URL, that of a redirect included. */
const urlCharactersMax = 2_048;

const redirectStatuses = [301, 302, 303, 307, 308];

export interface FetcherOptions {
  /** Special networks that may be reached, from `parseAllowList`. */
  readonly allow: AllowList;
  /** Whether `http:` is allowed next to `https:`. */
  readonly http?: boolean;
  /** Certificates (PEM) to trust instead of the well-known authorities. */
  readonly ca?: string;
  /** How names become addresses; the operating system's way by default. */
  readonly resolve?: Resolve;
  readonly limits?: Partial<FetchLimits>;
}

export interface Fetched {
  readonly body: Uint8Array;
  /** The media type, such as `application/xml`, without parameters; empty where none was sent. */
  readonly contentType: string;
  /** Where the body came from in the end. */
  readonly url: string;
}

/** Fetches a URL. Rejects with `FetchFailed` and nothing else. */
export type Fetch = (url: string, options?: { readonly signal?: AbortSignal }) => Promise<Fetched>;

/**
 * A GET for URLs that strangers give, which must not become a way into the operator's network
 * (server-side request forgery):
 *
 * - every address is checked when the connection is made, and the connection goes to the address
 *   that was checked, so a name may not answer one thing to the check and another to the use;
 * - each redirect is a new URL with the same checks;
 * - ports are free: what a port leads to is decided by the address, and services at public
 *   addresses must bear strangers anyhow;
 * - nothing of this process goes along: no credentials, cookies, proxies or open connections.
 */
export function createFetcher(options: FetcherOptions): Fetch {
  const limits = { ...defaultFetchLimits, ...options.limits };
  const settings = { resolve: resolveBySystem(limits.lookupsMax), ...options, limits };
  const slots = createSlots(limits.concurrentMax, limits.waitingMax);
  return async (url, { signal } = {}) => {
    const end = endOf(limits.timeoutMs, signal);
    try {
      await slots.take(end.signal);
      try {
        return await follow(url, settings, end.signal);
      } finally {
        slots.release();
      }
    } finally {
      end.dispose();
    }
  };
}

async function follow(
  given: string,
  settings: FetcherOptions & { readonly resolve: Resolve; readonly limits: FetchLimits },
  signal: AbortSignal,
): Promise<Fetched> {
  let url = parse(given);
  // What other programs would read differently is not repaired here.
  if (url === undefined || (/^https?:$/.test(url.protocol) && !isHttpUrl(given))) {
    throw new FetchFailed(
      "URL_INVALID",
      `The URL must be absolute, such as https://sp.example.com/metadata, without user name and ` +
        `password, and at most ${urlCharactersMax} characters long.`,
    );
  }
  for (let redirects = 0; redirects <= settings.limits.redirectsMax; redirects += 1) {
    const subject = redirects === 0 ? "The URL" : "A redirect of the URL";
    checkScheme(url, redirects, settings.http ?? false);
    const answer = await request({ ...settings, ...settings.limits, url, subject, signal });
    if (answer.status === 200) {
      return { body: answer.body, contentType: answer.contentType, url: url.href };
    }
    if (!redirectStatuses.includes(answer.status)) {
      const type = answer.contentType && ` (${answer.contentType})`;
      throw new FetchFailed(
        "STATUS",
        `${subject} was answered with status ${answer.status}${type} instead of 200.`,
      );
    }
    url = answer.location === undefined ? undefined : parse(answer.location, url);
    if (url === undefined) {
      throw new FetchFailed(
        "REDIRECT_INVALID",
        `${subject} was answered with a redirect (${answer.status}) that leads to no valid URL.`,
      );
    }
  }
  throw new FetchFailed(
    "TOO_MANY_REDIRECTS",
    `The URL leads to more than ${settings.limits.redirectsMax} redirects.`,
  );
}

function parse(text: string, base?: URL): URL | undefined {
  if (text.length > urlCharactersMax) return undefined;
  const url = URL.parse(text, base?.href);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  return url;
}

function checkScheme({ protocol }: URL, redirects: number, http: boolean): void {
  if (protocol === "https:" || (http && protocol === "http:")) return;
  const allowed = http ? "https or http" : "https";
  if (redirects === 0) {
    throw new FetchFailed("SCHEME_NOT_ALLOWED", `The URL must have the scheme ${allowed}.`);
  }
  const message = `A redirect of the URL must have the scheme ${allowed}.`;
  throw new FetchFailed("REDIRECT_INVALID", message);
}

/** A signal that fires at the deadline or with the caller's; its reason is the failure. */
function endOf(timeoutMs: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const timer = setTimeout(
    () =>
      controller.abort(
        new FetchFailed("TIMEOUT", `The URL was not answered completely within ${timeoutMs} ms.`),
      ),
    timeoutMs,
  );
  const abort = () => controller.abort(new FetchFailed("ABORTED", "The fetch was given up."));
  if (caller?.aborted) abort();
  caller?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    dispose: () => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", abort);
    },
  };
}

function resolveBySystem(lookupsMax: number): Resolve {
  const slots = createSlots(lookupsMax, Number.POSITIVE_INFINITY);
  return async (name, signal) => {
    await slots.take(signal);
    try {
      const answers = await lookup(name, { all: true });
      return answers.map(({ address }) => address);
    } finally {
      slots.release();
    }
  };
}
