import { readFileSync } from "node:fs";
import { join } from "node:path";
import { watchLimits } from "../src/api/watch.ts";
import { sendLimits } from "../src/domain/sending.ts";
import { fetchLimits } from "../src/fetch/fetcher.ts";
import { requestLimits } from "../src/gateway/elements.ts";
import { refusalLimits } from "../src/gateway/errors.ts";
import { fieldLimits } from "../src/gateway/fields.ts";
import { defaultLimits } from "../src/gateway/limits.ts";
import { workerLimits } from "../src/notify/limits.ts";
import { troubleLimits } from "../src/notify/trouble.ts";
import { xmlLimits } from "../src/saml/xml.ts";
import { answerLimits } from "../src/store/answer.ts";
import { sqliteLimits } from "../src/store/sqlite/limits.ts";
import { type Group, group, type Row } from "./limit-group.ts";
import { logGroups } from "./log-limits.ts";
import { loginGroups } from "./login-limits.ts";

const { batchAppends, waitingAppends, listRows, searchMs, waitingLists } = sqliteLimits;
const writes = { batchAppends, waitingAppends };
const listWork = { listRows, searchMs, waitingLists };

const closed = "the connection is closed";
const mailsPast =
  "they wait for their turn; about forgotten passwords as many apart, and past them none is made";
const refused = (reason: string) => `refused with \`${reason}\``;
const notFetched = `${refused("METADATA_NOT_FETCHED")}; a logout is told again`;

/** Bounds on whatever grows with what callers send, and most of all with what strangers send. */
export const groups: readonly Group[] = [
  group("Connections, streams, headers, bodies, answers", "src/gateway/limits.ts", defaultLimits, {
    connectionsMax: ["Connections", "the one that is idle the longest goes, else the new one"],
    connectionsOfAddressMax: [
      "Connections of one address, of IPv6 of a /64",
      "the one of them that is idle the longest goes, else the new one",
    ],
    connectionAgeMs: ["Milliseconds that an HTTP/2 connection lives", "it takes no more calls"],
    sniffTimeoutMs: [
      "Milliseconds until a connection says what it speaks, and makes its first call in HTTP/2",
      closed,
    ],
    idleTimeoutMs: ["Milliseconds of a connection without a call, or with half a header", closed],
    headerBytesMax: ["Bytes of the header fields of a request", refused("HEADERS_TOO_LARGE")],
    requestTimeoutMs: ["Milliseconds until a request is there", refused("REQUEST_TIMEOUT")],
    formTimeoutMs: ["The same of a form of 4 KiB or less", refused("REQUEST_TIMEOUT")],
    writeTimeoutMs: [
      "Milliseconds that a peer may leave what waits for it untouched",
      "the stream is reset, or the connection closed",
    ],
    unwantedBodyMs: [
      "Milliseconds that a stream has, once it is answered, for the rest of its body",
      "it is reset",
    ],
    lingerMs: ["Milliseconds of idle connections of HTTP/1.1 when it stops", "they are closed"],
    stopGraceMs: ["Milliseconds that calls have when the service stops", "they are cut off"],
    unansweredRequestsMax: [
      "Requests of an HTTP/1.1 connection that wait for answers",
      `${refused("REQUESTS_UNANSWERED")}, and ${closed}`,
    ],
    streamsPerConnectionMax: ["Streams of an HTTP/2 connection", "the stream is refused"],
    streamResetBurst: ["Streams that a connection may reset at once", closed],
    streamResetsPerSecond: ["Streams that it may reset per second after that", closed],
    bodyBytesMax: ["Bytes of a message, as sent and decompressed", refused("BODY_TOO_LARGE")],
    openBodyBytesMax: ["The same where no token is asked for", refused("BODY_TOO_LARGE")],
    bufferedBytesMax: [
      "Bytes of bodies of all calls; without a token half of them",
      refused("BODIES_OVERLOADED"),
    ],
    halfSentCallsMax: [
      "Calls whose bodies have not come whole; each counts as its part of those bytes",
      refused("BODIES_OVERLOADED"),
    ],
    answersBytesMax: [
      "Bytes of answers that wait to be taken, of all calls; for large ones half of them",
      refused("ANSWERS_OVERLOADED"),
    ],
    smallAnswerBytesMax: ["Bytes of an answer that is not large", "it is large"],
    openCallsMax: [
      "Calls without a token under way; as many requests for pages, for tokens, and for lookups; " +
        "as many of these half-sent, and as many whose answer is not taken",
      `${refused("TOO_MANY_OPEN_CALLS")}; of those that wait the oldest`,
    ],
    openCallsOfConnectionMax: ["Of each, those of one connection", "the same"],
    openCallsOfAddressMax: ["Of each, those of one address, of IPv6 of a /64", "the same"],
    openCallsOfSubscriberMax: ["Of each, those of a /56 of IPv6", "the same"],
    openCallsOfSiteMax: ["Of each, those of a /48 of IPv6", "the same"],
    openStreamsMax: [
      "Of these calls, streams: health watches, and reflection",
      refused("TOO_MANY_OPEN_CALLS"),
    ],
    openStreamsOfConnectionMax: ["Those of one connection", refused("TOO_MANY_OPEN_CALLS")],
    openStreamsOfAddressMax: ["Those of one address", refused("TOO_MANY_OPEN_CALLS")],
    openStreamsOfSubscriberMax: ["Those of a /56 of IPv6", refused("TOO_MANY_OPEN_CALLS")],
    openStreamsOfSiteMax: ["Those of a /48 of IPv6", refused("TOO_MANY_OPEN_CALLS")],
    healthIntervalMs: ["Milliseconds between two looks for all health watches", "–"],
  }),
  group("Messages", "src/gateway/elements.ts", requestLimits, {
    elements: ["Fields that are set and entries of lists", refused("TOO_MANY_ELEMENTS")],
    depth: ["Messages within each other", refused("MALFORMED_REQUEST")],
    numberCharacters: [
      "Characters of a number of 64 bits that stands in JSON as a text",
      refused("MALFORMED_REQUEST"),
    ],
    violations: ["Broken rules that are looked for", "no more are told"],
  }),
  group("Fields that state no bound of their own", "src/gateway/fields.ts", fieldLimits, {
    stringCharacters: ["Characters of a text", refused("INVALID_FIELDS")],
    listEntries: ["Entries of a list", refused("INVALID_FIELDS")],
  }),
  group("Refusals", "src/gateway/errors.ts", refusalLimits, {
    messageBytes: ["Bytes of a message", "it is cut"],
    encodedBytes: ["Bytes of what gRPC sends in header fields", "violations are counted, not told"],
  }),
  group("Watches of events", "src/api/watch.ts", watchLimits, {
    watches: ["Watches", refused("TOO_MANY_WATCHES")],
    watchesOfUser: ["Those of one user", refused("TOO_MANY_WATCHES")],
    heldEvents: ["Events that a watch holds", "it reads on when they are taken"],
    heldBytes: ["Bytes of their payloads, unless there is one alone", "the same"],
    silenceMs: ["Milliseconds without news", "it says that it is there"],
    trustMs: ["Milliseconds for which a caller's right is not looked at again", "it is"],
    turnEvents: ["Events that a watch sends before it is the turn of others", "it waits"],
  }),
  group("Answers that are remembered for repeated calls", "src/store/answer.ts", answerLimits, {
    keptMs: ["Milliseconds of an answer", "the call is done anew"],
    secretMs: ["Milliseconds of its secret", "it is answered without"],
    ofCaller: ["Answers of one caller", "the oldest is forgotten"],
  }),
  group("Writes", "src/store/sqlite/limits.ts", writes, {
    batchAppends: ["Appends, and writes of logins, in one transaction", "they share the next one"],
    waitingAppends: ["Of both, those that wait for one", refused("UNAVAILABLE")],
  }),
  group("Lists that have to look at much", "src/store/sqlite/limits.ts", listWork, {
    listRows: [
      "Rows that a list looks at on the event loop, about",
      "a thread of its own reads it",
    ],
    searchMs: ["Milliseconds that it has there, its waiting included", refused("SEARCH_TOO_LONG")],
    waitingLists: ["Lists that wait for the thread", refused("UNAVAILABLE")],
  }),
  group("Fetching what callers name", "src/fetch/fetcher.ts", fetchLimits, {
    timeoutMs: [
      "Milliseconds of a fetch with all its redirects, and of telling an application of a logout",
      notFetched,
    ],
    concurrentMax: ["Fetches at a time", "the next one waits"],
    waitingMax: ["Fetches that wait", notFetched],
    shareMax: ["Fetches of one organization at a time", "its next one waits"],
    shareWaitingMax: ["Those of it that wait", notFetched],
    lookupsMax: ["Host names that are looked up at a time", "the next one waits"],
    shareLookupsMax: ["Those of one organization", "its next one waits"],
  }),
  group("SAML metadata", "src/saml/xml.ts", xmlLimits, {
    bytesMax: ["Bytes of a document", refused("METADATA_INVALID")],
    depthMax: ["Elements within each other", refused("METADATA_INVALID")],
    elementsMax: ["Elements", refused("METADATA_INVALID")],
    attributesMax: ["Attributes of an element", refused("METADATA_INVALID")],
    attributeCharactersMax: ["Characters of an attribute", refused("METADATA_INVALID")],
    nameCharactersMax: ["Characters of a name", refused("METADATA_INVALID")],
    pieceCharacters: [
      "Characters that are read at once",
      "it waits while it is the turn of others",
    ],
  }),
  ...logGroups,
  ...loginGroups,
  group("Mails and SMS that nobody takes", "src/notify/trouble.ts", troubleLimits, {
    untoldMs: ["Milliseconds in which attempts fail", "`/readyz` warns until one succeeds"],
    toldMs: ["Milliseconds since the last attempt that failed", "`/readyz` warns no longer"],
  }),
  group("Mails, SMS and calls about logouts", "src/notify/limits.ts", workerLimits, {
    concurrentMax: [
      "Mails on their way, as many SMS, and as many calls",
      "the next one waits in the log",
    ],
    leaseMs: ["Milliseconds that one has for an attempt", "it is tried again"],
    pollMs: ["Milliseconds between two looks for messages that are due", "–"],
    backoffMinMs: ["Milliseconds after the first attempt, doubled by each", "–"],
    backoffMaxMs: ["Milliseconds between two attempts", "no longer"],
    giveUpMs: ["Milliseconds from when it was due to the last attempt", "it is not sent any more"],
    stopGraceMs: ["Milliseconds that those on their way have at the stop", "they are tried again"],
  }),
  group("Mails and SMS in a day", "src/domain/sending.ts", sendLimits, {
    smsPerNumber: ["SMS to one number", refused("TOO_MANY_SMS")],
    smsPerOrganization: ["SMS of one organization", refused("TOO_MANY_SMS")],
    mailsPerAddress: ["Mails of one organization to one address", mailsPast],
    mailsPerOrganization: ["Mails of one organization", mailsPast],
  }),
];

/** Bounds that stand alone, by the files that they stand in. */
const alone: { readonly [file: string]: { readonly [name: string]: Row } } = {
  "src/api/listing.ts": {
    limitDefault: ["Entries of a page, where nothing is asked for", "the next page"],
    defaultPageBytes: ["Bytes of the objects on such a page", "the next page"],
  },
  "src/domain/owner-link.ts": {
    ownerLinkMs: ["Milliseconds of a link by which a person becomes an owner", "it is void"],
  },
  "src/domain/user/human/state.ts": { codeFailuresMax: ["Tries of a code", "it is void"] },
  "src/domain/user/human/phone.ts": {
    codeIntervalMs: ["Milliseconds between two SMS codes of a user", refused("CODE_TOO_SOON")],
  },
  "src/execute/execute.ts": { attemptsMax: ["Attempts of a command", refused("CONFLICT")] },
  "src/gateway/caller.ts": {
    tokensMax: ["Tokens of which the holder is remembered", "it is looked up"],
  },
  "src/gateway/idempotency.ts": {
    idempotencyKeyMax: ["Characters of an idempotency key", refused("IDEMPOTENCY_KEY_INVALID")],
  },
  "src/notify/logout.ts": {
    toldWithinMs: ["Milliseconds in which applications are told of a logout", "it is given up"],
  },
  "src/gateway/client.ts": {
    userAgentCharactersMax: ["Characters of `user-agent` in the log", "it is cut off"],
  },
  "src/pages/form.ts": { formBytesMax: ["Bytes of a form", refused("BODY_TOO_LARGE")] },
  "src/provider/routes.ts": {
    tokenFormBytesMax: ["Those of a form for tokens", "refused as `invalid_request`"],
  },
  "src/port/peer.ts": { networksMax: ["Networks of a list of proxies", "no start"] },
  "src/secrets/key-pairs.ts": {
    keyPairsWaitingMax: ["Keys of applications that wait to be made", refused("KEYS_OVERLOADED")],
  },
  "src/secrets/passwords/passwords.ts": {
    passwordBytesMax: ["Bytes of a password that are hashed", "it is wrong"],
    passwordsWaitingMax: [
      "Passwords that wait to be hashed; of strangers half, where who tried most leaves first",
      refused("HASHING_OVERLOADED"),
    ],
  },
  "src/start/logger.ts": { waitingBytesMax: ["Bytes of log lines that wait", "lines are dropped"] },
};

/** A bound as documents tell it. */
export interface Bound {
  readonly title: string;
  readonly file: string;
  readonly name: string;
  readonly value: number;
  readonly what: string;
  readonly past: string;
}

/** All bounds, with their defaults. */
export function bounds(): readonly Bound[] {
  const together = groups.flatMap(({ title, file, limits, rows }) =>
    Object.entries(rows).map(([name, [what, past]]) => {
      return { title, file, name, value: limits[name] ?? Number.NaN, what, past };
    }),
  );
  const others = Object.entries(alone).flatMap(([file, rows]) =>
    Object.entries(rows).map(([name, [what, past]]) => {
      return { title: "Others", file, name, value: writtenNumber(file, name), what, past };
    }),
  );
  return [...together, ...others];
}

const root = join(import.meta.dirname, "..");

/** The number that a constant has in its source; throws a TypeError where there is none. */
function writtenNumber(file: string, name: string): number {
  const source = readFileSync(join(root, file), "utf8");
  const [, written] = new RegExp(`const ${name} = ([\\d_ *]+);`).exec(source) ?? [];
  if (written === undefined) throw new TypeError(`${file} has no number ${name}`);
  const factors = written.split("*").map((factor) => Number(factor.replaceAll("_", "")));
  return factors.reduce((product, factor) => product * factor, 1);
}
