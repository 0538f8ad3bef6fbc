import { lookup } from "node:dns/promises";
import { createShares, createSlots } from "../slots.ts";
import { isHttpUrl } from "../text/http-url.ts";
import type { AllowList } from "./allow.ts";
import { FetchFailed } from "./failed.ts";
import { type Fetched, loadUndici, type Resolve, request } from "./request.ts";

export interface FetchLimits {
  /** Milliseconds from the call to the last byte: waiting, names, TLS and redirects included. */
  readonly timeoutMs: number;
  /** Fetches that run at once, and those that wait for one of them to end. */
  readonly concurrentMax: number;
  readonly waitingMax: number;
  /** The same for each organization, so that hosts which do not answer hold up their own alone. */
  readonly shareMax: number;
  readonly shareWaitingMax: number;
  /**
   * Host names that are looked up at once, and of them those of an organization. The system cannot
   * be told to stop, and mails and SMS wait for the same four threads, so name servers that do not
   * answer must not get all of them, nor one organization all of these.
   */
  readonly lookupsMax: number;
  readonly shareLookupsMax: number;
}

/** The limits of fetching. */
export const fetchLimits: FetchLimits = {
  timeoutMs: 5_000,
  concurrentMax: 16,
  waitingMax: 64,
  shareMax: 4,
  shareWaitingMax: 16,
  lookupsMax: 2,
  shareLookupsMax: 1,
};

const redirectsMax = 3;

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

/**
 * Fetches the body that a URL leads to, or sends a form there. Rejects with `FetchFailed` and
 * nothing else.
 */
export type Fetch = (
  url: string,
  options: {
    /** The organization for which it is fetched. */
    readonly organization: string;
    /** What is sent in place of a GET; it is not sent on where a redirect leads. */
    readonly form?: URLSearchParams;
    readonly signal?: AbortSignal;
  },
) => Promise<Uint8Array>;

/** What is sent to a URL as it is, and the organization for which. */
export interface Sent {
  readonly organization: string;
  readonly method?: "GET" | "POST";
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request to a URL and answers what came back, whatever its status. A redirect is such an
 * answer, and is not followed. Rejects with `FetchFailed` and nothing else.
 */
export type Send = (url: string, sent: Sent) => Promise<Fetched>;

/** Both ways to ask URLs, within the same bounds. */
export interface Fetcher {
  readonly fetch: Fetch;
  readonly send: Send;
}

/**
 * Requests to URLs that strangers give, which must not become a way into the operator's
 * network (server-side request forgery):
 *
 * - every address is checked when the connection is made, and the connection goes to the address
 *   that was checked, so a name may not answer one thing to the check and another to the use;
 * - each redirect is a new URL with the same checks;
 * - ports are free: what a port leads to is decided by the address, and services at public
 *   addresses must bear strangers anyhow;
 * - nothing of this process goes along: no credentials, cookies, proxies or open connections.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const limits = { ...fetchLimits, ...options.limits };
  const resolveFor = boundLookups(options.resolve ?? resolveBySystem, limits);
  const overloaded = () =>
    new FetchFailed("GIVEN_UP", "Too many URLs are being fetched. Try again later.");
  const slots = createSlots({ ...limits, overloaded });
  const shares = createShares({
    concurrentMax: limits.shareMax,
    waitingMax: limits.shareWaitingMax,
    overloaded,
  });

  /** Works for an organization, within all bounds. */
  async function bounded<Result>(
    organization: string,
    caller: AbortSignal | undefined,
    work: (settings: Settings, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    await loadUndici();
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    const signal = caller === undefined ? timeout : AbortSignal.any([timeout, caller]);
    try {
      const settings = { ...options, resolve: resolveFor(organization) };
      const run = () => slots.run(() => work(settings, signal), signal);
      return await shares.run(organization, run, signal);
    } catch (error) {
      if (error !== signal.reason) throw error;
      throw new FetchFailed(
        "GIVEN_UP",
        error === timeout.reason
          ? `The URL was not answered completely within ${limits.timeoutMs} ms.`
          : "The fetch was cancelled.",
      );
    }
  }

  return {
    fetch: (url, { organization, form, signal: caller }) =>
      bounded(organization, caller, (settings, signal) =>
        follow(url, { ...settings, form }, signal),
      ),
    send: (given, { organization, signal: caller, ...sent }) =>
      bounded(organization, caller, async (settings, signal) => {
        const url = usable(given, settings);
        return await request({ ...settings, ...sent, url, subject: "The URL", signal });
      }),
  };
}

type Settings = FetcherOptions & { readonly resolve: Resolve };

/** The URL as one that may be asked. Throws what is wrong with it. */
function usable(given: string, { http = false }: Settings): URL {
  const problem = urlProblem(given);
  if (problem !== undefined) throw new FetchFailed("URL_INVALID", `The URL ${problem}.`);
  const url = new URL(given);
  checkScheme(url, 0, http);
  return url;
}

async function follow(
  given: string,
  { form, ...settings }: Settings & { readonly form: URLSearchParams | undefined },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const sent = form === undefined ? {} : postOf(form);
  let url: URL | undefined = usable(given, settings);
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const subject = redirects === 0 ? "The URL" : "A redirect of the URL";
    checkScheme(url, redirects, settings.http ?? false);
    const asked = { ...settings, ...sent, url, subject, readStatus: 200, signal };
    const answer = await request(asked);
    const isSent = form !== undefined;
    if (answer.status === 200 || (isSent && answer.status === 204)) return answer.body;
    if (isSent || !redirectStatuses.includes(answer.status)) {
      const type = answer.mediaType && ` (${answer.mediaType})`;
      throw new FetchFailed(
        "ANSWER_UNUSABLE",
        `${subject} was answered with status ${answer.status}${type} instead of 200.`,
      );
    }
    url = answer.location === undefined ? undefined : parse(answer.location, url);
    if (url === undefined) {
      throw new FetchFailed(
        "ANSWER_UNUSABLE",
        `${subject} was answered with a redirect (${answer.status}) to an invalid URL.`,
      );
    }
  }
  throw new FetchFailed("ANSWER_UNUSABLE", `The URL leads to more than ${redirectsMax} redirects.`);
}

function postOf(form: URLSearchParams) {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST", headers, body: String(form) } as const;
}

/** What is wrong with a URL, in words that follow what it is called; undefined where nothing is. */
export function urlProblem(text: string): string | undefined {
  const url = parse(text);
  // What other programs would read differently is not repaired here.
  const isUsable = url && (!/^https?:$/.test(url.protocol) || isHttpUrl(text));
  return isUsable
    ? undefined
    : "must be absolute, for example https://sp.example.com/metadata, without user name and " +
        `password, and at most ${urlCharactersMax} characters long`;
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
    throw new FetchFailed("URL_INVALID", `The URL must have the scheme ${allowed}.`);
  }
  const message = `A redirect of the URL must have the scheme ${allowed}.`;
  throw new FetchFailed("ANSWER_UNUSABLE", message);
}

async function resolveBySystem(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** The look-ups of each organization. One that has begun takes its place until it is over. */
function boundLookups(
  resolve: Resolve,
  { lookupsMax, shareLookupsMax }: Pick<FetchLimits, "lookupsMax" | "shareLookupsMax">,
): (organization: string) => Resolve {
  // The number of waiting look-ups is bounded by that of fetches.
  const waiting = {
    waitingMax: Number.POSITIVE_INFINITY,
    overloaded: () => new TypeError("unbounded"),
  };
  const slots = createSlots({ concurrentMax: lookupsMax, ...waiting });
  const shares = createShares({ concurrentMax: shareLookupsMax, ...waiting });
  return (organization) => (name, signal) =>
    shares.run(organization, () => slots.run(() => resolve(name, signal), signal), signal);
}
