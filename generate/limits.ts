import { readFileSync } from "node:fs";
import { join } from "node:path";
import { watchLimits } from "../src/api/watch.ts";
import { sendLimits } from "../src/domain/sending.ts";
import { fetchLimits } from "../src/fetch/fetcher.ts";
import { troubleLimits } from "../src/notify/channel/trouble.ts";
import { workerLimits } from "../src/notify/limits.ts";
import { xmlLimits } from "../src/saml/xml.ts";
import { answerLimits } from "../src/store/answer.ts";
import { sqliteLimits } from "../src/store/sqlite/limits.ts";
import { actionGroups } from "./action-limits.ts";
import { externalGroups } from "./external-limits.ts";
import { gatewayGroups } from "./gateway-limits.ts";
import { type Group, group, type Row, refused } from "./limit-group.ts";
import { logGroups } from "./log-limits.ts";
import { loginGroups } from "./login-limits.ts";
import { userGroups } from "./user-limits.ts";

const { batchAppends, gatherTurns, waitingAppends } = sqliteLimits;
const { listRows, searchMs, waitingLists } = sqliteLimits;
const writes = { batchAppends, gatherTurns, waitingAppends };
const listWork = { listRows, searchMs, waitingLists };

const mailsPast =
  "they are postponed; mails for forgotten passwords count separately, and further ones are " +
  "not sent, or " +
  refused("TOO_MANY_MAILS");
const notFetched = `${refused("METADATA_NOT_FETCHED")}; a logout notification is tried again`;

/** Bounds on whatever grows with what callers send, and most of all with what strangers send. */
export const groups: readonly Group[] = [
  ...gatewayGroups,
  group("Watches of events", "src/api/watch.ts", watchLimits, {
    watches: ["Watches", refused("TOO_MANY_WATCHES")],
    watchesOfUser: ["Watches of one user", refused("TOO_MANY_WATCHES")],
    heldEvents: ["Events that a watch buffers", "it reads on once they are sent"],
    heldBytes: ["Bytes of their payloads; one larger payload is sent alone", "the same"],
    allHeldBytes: [
      "Bytes of the payloads that all watches buffer, in equal parts of `largeBytes` at least",
      "each reads less at a time",
    ],
    largeBytes: ["Bytes up to which a payload is not large", "the event counts as large"],
    largeEvents: ["Watches that are sent a large event at a time", "the next one waits"],
    largeEventsOfOrganization: ["Of them, watches of one organization, or of all", "the same"],
    silenceMs: ["Milliseconds without an event", "the watch sends a sign of life"],
    trustMs: ["Milliseconds between two checks of the caller's rights", "they are checked again"],
    turnEvents: ["Events that a watch sends in one turn", "the other watches are next"],
  }),
  group("Answers that are stored for repeated calls", "src/store/answer.ts", answerLimits, {
    keptMs: ["Milliseconds that an answer is stored", "a repeated call is carried out again"],
    secretMs: [
      "Milliseconds that the secret of an answer is stored",
      "the answer comes without it",
    ],
    ofCaller: ["Stored answers of one caller", "the oldest is forgotten"],
    countedBytes: ["Bytes of a stored answer that count as one", "it counts as several"],
  }),
  group("Writes", "src/store/sqlite/limits.ts", writes, {
    batchAppends: ["Appends and writes of logins in one transaction", "they go into the next one"],
    gatherTurns: [
      "Turns of the event loop that it waits for more of them",
      "they go into the next one",
    ],
    waitingAppends: [
      "Appends and writes of logins waiting for a transaction",
      refused("UNAVAILABLE"),
    ],
  }),
  group("Lists that read many rows", "src/store/sqlite/limits.ts", listWork, {
    listRows: [
      "Rows that a list reads on the event loop (approximately)",
      "a separate thread reads the list",
    ],
    searchMs: [
      "Milliseconds of a list in that thread, including the wait",
      refused("SEARCH_TOO_LONG"),
    ],
    waitingLists: [
      "Lists waiting for the thread; one of the organization with most of them leaves first",
      refused("LISTS_OVERLOADED"),
    ],
  }),
  group("Fetching URLs of callers", "src/fetch/fetcher.ts", fetchLimits, {
    timeoutMs: [
      "Milliseconds of a fetch with its redirects, or of a logout notification",
      notFetched,
    ],
    concurrentMax: ["Fetches at a time", "the next one waits"],
    waitingMax: ["Waiting fetches", notFetched],
    shareMax: ["Fetches of one organization at a time", "its next one waits"],
    shareWaitingMax: ["Waiting fetches of one organization", notFetched],
    lookupsMax: ["Host names being resolved at a time", "the next one waits"],
    shareLookupsMax: ["Those of one organization", "its next one waits"],
  }),
  group("SAML metadata", "src/saml/xml.ts", xmlLimits, {
    bytesMax: ["Bytes of a document", refused("METADATA_INVALID")],
    depthMax: ["Nested elements", refused("METADATA_INVALID")],
    elementsMax: ["Elements", refused("METADATA_INVALID")],
    attributesMax: ["Attributes of an element", refused("METADATA_INVALID")],
    attributeCharactersMax: ["Characters of an attribute", refused("METADATA_INVALID")],
    nameCharactersMax: ["Characters of a name", refused("METADATA_INVALID")],
    pieceCharacters: ["Characters that are parsed in one turn", "other work is next"],
  }),
  ...[...logGroups, ...loginGroups, ...externalGroups, ...userGroups, ...actionGroups],
  group("Mails and SMS that fail", "src/notify/channel/trouble.ts", troubleLimits, {
    untoldMs: ["Milliseconds of failing attempts", "`/readyz` warns until an attempt succeeds"],
    toldMs: ["Milliseconds since the last failed attempt", "`/readyz` stops warning"],
  }),
  group("Mails, SMS and calls about logouts", "src/notify/limits.ts", workerLimits, {
    concurrentMax: [
      "Mails being sent; the same number of SMS and of logout calls",
      "the next one waits in the log",
    ],
    leaseMs: ["Milliseconds of one attempt", "the message is tried again"],
    pollMs: ["Milliseconds between two checks for due messages", "–"],
    backoffMinMs: ["Milliseconds of the first pause; each attempt doubles it", "–"],
    backoffMaxMs: ["Milliseconds of the longest pause", "the pause stays that long"],
    giveUpMs: ["Milliseconds from the due time to the last attempt", "the message is given up"],
    stopGraceMs: ["Milliseconds that messages being sent have at the stop", "they are tried again"],
  }),
  group("Mails and SMS per day", "src/domain/sending.ts", sendLimits, {
    smsPerNumber: ["SMS to one number", refused("TOO_MANY_SMS")],
    smsPerOrganization: ["SMS of one organization", refused("TOO_MANY_SMS")],
    mailsPerAddress: ["Mails of one organization to one address", mailsPast],
    mailsPerOrganization: ["Mails of one organization", mailsPast],
    registrationMails: [
      "Mails to people who register, of all organizations",
      "the page says so; no mail is sent",
    ],
  }),
];

/** Bounds that stand alone, by the files that they stand in. */
const alone: { readonly [file: string]: { readonly [name: string]: Row } } = {
  "src/api/listing.ts": {
    limitDefault: ["Entries of a page when the request names no limit", "the next page"],
    defaultPageBytes: ["Bytes of the objects on such a page", "the next page"],
  },
  "src/domain/owner-link.ts": {
    ownerLinkMs: ["Milliseconds that the link of a new owner is valid", "it expires"],
  },
  "src/domain/user/state/human-state.ts": {
    codeFailuresMax: ["Wrong entries of a code", "it becomes invalid"],
  },
  "src/domain/user/human/phone.ts": {
    codeIntervalMs: ["Milliseconds between two SMS codes of a user", refused("CODE_TOO_SOON")],
  },
  "src/execute/execute.ts": { attemptsMax: ["Attempts of a command", refused("CONFLICT")] },
  "src/gateway/call/caller.ts": {
    tokensMax: ["Tokens with a cached holder", "the holder is read from the log"],
  },
  "src/gateway/call/idempotency.ts": {
    idempotencyKeyMax: ["Characters of an idempotency key", refused("IDEMPOTENCY_KEY_INVALID")],
  },
  "src/notify/logout.ts": {
    toldWithinMs: ["Milliseconds in which a logout is notified", "the notification is given up"],
  },
  "src/gateway/call/client.ts": {
    userAgentCharactersMax: ["Characters of `user-agent` in the log", "it is truncated"],
    proxyRequestIdCharactersMax: ["Characters of a proxy's `x-request-id`", "it is left out"],
  },
  "src/pages/form.ts": { formBytesMax: ["Bytes of a form", refused("BODY_TOO_LARGE")] },
  "src/provider/forms.ts": {
    addressFormBytesMax: [
      "Bytes of a form that asks for a login or a logout",
      refused("BODY_TOO_LARGE"),
    ],
    tokenFormBytesMax: ["Bytes of a form that has a token", "refused as `invalid_request`"],
  },
  "src/port/peer.ts": {
    networksMax: ["Networks in the list of proxies", "the service does not start"],
    knownAddresses: [
      "Addresses of callers that a process remembers with what they are",
      "with one more, all are read again",
    ],
    forwardedEntriesMax: [
      "Entries of `x-forwarded-for` that are read, from the last one on",
      "the request counts for what all senders without an address share",
    ],
  },
  "src/secrets/key-pairs.ts": {
    keyPairsWaitingMax: ["Keys waiting to be created", refused("KEYS_OVERLOADED")],
  },
  "src/secrets/passwords/passwords.ts": {
    passwordBytesMax: ["Bytes of a password", "it counts as wrong"],
    sameCodeWaitingMax: [
      "Calls that wait for another with the same code to set a password, in each process",
      refused("HASHING_OVERLOADED"),
    ],
    passwordsWaitingMax: [
      "Passwords waiting to be hashed, half of them for strangers; the address with the most " +
        "tries leaves first, of known browsers the person",
      refused("HASHING_OVERLOADED"),
    ],
  },
  "src/start/logger.ts": {
    startBytesMax: ["Bytes of log lines of a start that are written at once", "lines wait"],
    waitingBytesMax: ["Bytes of waiting log lines", "lines are dropped"],
  },
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
