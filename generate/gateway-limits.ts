import { requestLimits } from "../src/gateway/call/elements.ts";
import { refusalLimits } from "../src/gateway/call/errors.ts";
import { fieldLimits } from "../src/gateway/call/fields.ts";
import { defaultLimits } from "../src/gateway/call/limits.ts";
import { acceptLimits } from "../src/text/accept.ts";
import { type Group, group, refused } from "./limit-group.ts";

const closed = "the connection is closed";

/** Bounds on calls, before anything is done. */
export const gatewayGroups: readonly Group[] = [
  group("Connections, streams, headers, bodies", "src/gateway/call/limits.ts", defaultLimits, {
    connectionsMax: ["Connections", "the one idle longest is closed, or else the new one"],
    connectionsOfAddressMax: [
      "Connections from one address (IPv6: from one /64)",
      "the idlest of them is closed, or else the new one",
    ],
    connectionAgeMs: ["Milliseconds of an HTTP/2 connection", "it accepts no further calls"],
    sniffTimeoutMs: [
      "Milliseconds until the protocol is known, and with HTTP/2 until the first call",
      closed,
    ],
    idleTimeoutMs: ["Milliseconds without a call, or with an incomplete header", closed],
    headerBytesMax: ["Bytes of the header fields of a request", refused("HEADERS_TOO_LARGE")],
    requestTimeoutMs: [
      "Milliseconds within which a request must arrive",
      refused("REQUEST_TIMEOUT"),
    ],
    formTimeoutMs: ["The same for a form of up to 12 KiB", refused("REQUEST_TIMEOUT")],
    writeTimeoutMs: [
      "Milliseconds in which a peer reads nothing of the data that waits for it",
      "the stream is reset, or the connection is closed",
    ],
    unwantedBodyMs: [
      "Milliseconds for the rest of a body after the call was answered",
      "the stream is reset",
    ],
    drainMs: ["Milliseconds of a drain before the stop", "the port closes"],
    drainQuietMs: [
      "Milliseconds of the drain for balancers alone; half of it where `IAM_DRAIN_MS` is set",
      "connections end with their next call",
    ],
    lingerMs: ["Milliseconds of idle HTTP/1.1 connections at the stop", "they are closed"],
    stopGraceMs: ["Milliseconds that open calls have to finish at the stop", "they are cancelled"],
    unansweredRequestsMax: [
      "Unanswered requests of one HTTP/1.1 connection",
      `${refused("REQUESTS_UNANSWERED")}, and ${closed}`,
    ],
    streamsPerConnectionMax: ["Streams of an HTTP/2 connection", "the stream is refused"],
    streamResetBurst: ["Streams that a connection may reset in a burst", closed],
    streamResetsPerSecond: ["Streams that it may reset per second after the burst", closed],
    bodyBytesMax: ["Bytes of a message, as sent and decompressed", refused("BODY_TOO_LARGE")],
    openBodyBytesMax: ["The same for methods without a token", refused("BODY_TOO_LARGE")],
    bufferedBytesMax: [
      "Bytes of all request bodies; half of them without a token",
      refused("BODIES_OVERLOADED"),
    ],
    halfSentCallsMax: [
      "Calls with incomplete bodies; each counts a part of those bytes",
      refused("BODIES_OVERLOADED"),
    ],
    answersBytesMax: [
      "Bytes of all unread answers of calls with a token; half of them for large answers",
      refused("ANSWERS_OVERLOADED"),
    ],
    answersMax: [
      "Unread answers of calls with a token; each counts a part of those bytes",
      refused("ANSWERS_OVERLOADED"),
    ],
    smallAnswerBytesMax: ["Bytes of a small answer", "the answer counts as large"],
    streamAnswersBytesMax: [
      "Bytes of the large answers that open streams without a token sent last",
      "the stream answered longest ago ends with `TOO_MANY_OPEN_CALLS`",
    ],
    unreadBytesMax: [
      "Bytes of all unread pages, images, tokens, lookups, refusals, and answers without a " +
        "token. Each takes a place for its part of these bytes, one at least, of the " +
        "`openCallsMax` places for unread answers",
      "of the answers in too many places, the oldest is cut off",
    ],
    openCallsMax: [
      "Open calls without a token. Separately the same number for pages, tokens and lookups, for " +
        "half-sent requests of these, and for unread answers",
      `${refused("TOO_MANY_OPEN_CALLS")}; of waiting requests, the oldest`,
    ],
    openCallsOfConnectionMax: ["Of each: from one connection", "the same"],
    openCallsOfAddressMax: ["Of each: from one address (IPv6: from one /64)", "the same"],
    openCallsOfSubscriberMax: ["Of each: from one IPv6 /56", "the same"],
    openCallsOfSiteMax: ["Of each: from one IPv6 /48", "the same"],
    openStreamsMax: [
      "Streams among these calls: health watches and reflection",
      refused("TOO_MANY_OPEN_CALLS"),
    ],
    openStreamsOfConnectionMax: ["Streams from one connection", refused("TOO_MANY_OPEN_CALLS")],
    openStreamsOfAddressMax: [
      "Streams from one address (IPv6: from one /64)",
      refused("TOO_MANY_OPEN_CALLS"),
    ],
    openStreamsOfSubscriberMax: ["Streams from one IPv6 /56", refused("TOO_MANY_OPEN_CALLS")],
    openStreamsOfSiteMax: ["Streams from one IPv6 /48", refused("TOO_MANY_OPEN_CALLS")],
    callerRate: [
      "Calls per second of one caller; see `IAM_CALLER_RATE`",
      refused("TOO_MANY_CALLS"),
    ],
    callerBurst: ["Calls of one caller at once, where there is a rate", refused("TOO_MANY_CALLS")],
    addressRate: [
      "Calls, pages and token requests per second of one address (IPv6: of one /64)",
      refused("TOO_MANY_CALLS"),
    ],
    addressBurst: ["Those of one address at once, where there is a rate", "the same"],
    siteAddresses: [
      "Times both of them that one IPv6 /48 may send, all of its /64 together",
      refused("TOO_MANY_CALLS"),
    ],
    bucketsMax: [
      "Callers, and separately addresses and IPv6 /48, whose calls are counted",
      "the half that called least recently starts anew",
    ],
    healthIntervalMs: ["Milliseconds between two checks for all health watches", "–"],
  }),
  group("Messages", "src/gateway/call/elements.ts", requestLimits, {
    elements: ["Fields that are set, plus list entries", refused("TOO_MANY_ELEMENTS")],
    depth: ["Nested messages", refused("MALFORMED_REQUEST")],
    numberCharacters: [
      "Characters of a 64-bit number that JSON has as a string",
      refused("MALFORMED_REQUEST"),
    ],
    violations: ["Violations that are looked for", "further ones are left out"],
  }),
  group("Fields without a bound of their own", "src/gateway/call/fields.ts", fieldLimits, {
    stringCharacters: ["Characters of a text", refused("INVALID_FIELDS")],
    listEntries: ["Entries of a list", refused("INVALID_FIELDS")],
  }),
  group("Accept headers", "src/text/accept.ts", acceptLimits, {
    characters: ["Characters of an `accept…` header", "the rest is not read"],
  }),
  group("Refusals", "src/gateway/call/errors.ts", refusalLimits, {
    messageBytes: ["Bytes of an error message", "it is truncated"],
    encodedBytes: [
      "Bytes of an error in gRPC header fields",
      "violations are counted instead of listed",
    ],
  }),
];
