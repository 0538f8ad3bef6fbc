import { signingLimits } from "../src/domain/signing.ts";
import { codeLifetimesMs } from "../src/domain/user/human/state.ts";
import { dayLimits } from "../src/domain/user/login/day.ts";
import { resetLimits } from "../src/domain/user/login/reset.ts";
import { loginLimits } from "../src/domain/user/login/state.ts";
import { refusedLimits } from "../src/pages/html/refused.ts";
import { grantLimits } from "../src/provider/library/adapter.ts";
import { guessLimits } from "../src/provider/login/guesses.ts";
import { assertionLimits } from "../src/provider/token/assertion.ts";
import { scopeLimits } from "../src/provider/token/scopes.ts";
import { slowLimits } from "../src/provider/token/slow.ts";
import { type Group, group } from "./limit-group.ts";

const isVoid = "it is void";

/** The bounds of logging in, and of the tokens that come from it. */
export const loginGroups: readonly Group[] = [
  group("Logging in", "src/domain/user/login/state.ts", loginLimits, {
    failures: ["Wrong passwords and codes of a person in a row", "unknown browsers are locked out"],
    lockedMs: [
      "Milliseconds for which they are, and within which tries count",
      "they may try again",
    ],
    lockedMsMax: [
      "Milliseconds of a lock that wrong codes lead to: each ten in a row lock for twice as long",
      "no lock is longer",
    ],
    triesOfAddress: [
      "Wrong tries of one address in that time, whoever it claims to be",
      "it is told to wait",
    ],
    triesOfMachine: ["Wrong tries of strangers where no address is known", "the same"],
    begunOfAddress: ["Logins that one address begins in that time", "it is told to wait"],
    begunOfSite: ["Those of a /48 of IPv6", "the same"],
    begun: ["Logins that are begun, sessions of nobody, questions for passkeys", "the oldest go"],
    begunBytes: ["Bytes of the parameters of one of them", "refused as `invalid_request`"],
    sessions: ["Sessions of one person", "the oldest has ended"],
    told: ["Applications of one session that are told when it ends", "the next one is not told"],
    sessionMs: ["Milliseconds of a session after its login", "it has ended"],
    passkeyMs: [
      "Milliseconds that a browser may take to show a passkey",
      "it has to ask for one again",
    ],
    browsers: ["Browsers of one person that are known again", "the oldest is unknown"],
    endedGrants: [
      "Grants that have ended, though somebody puts their rows back",
      "those that ended first are not known to have",
    ],
    consents: ["Applications that may act for one person", "the one let first may no more"],
  }),
  group("What is recorded of a person in a day", "src/domain/user/login/day.ts", dayLimits, {
    loginsOfDay: [
      "Logins, and times that the person lets applications act",
      "`access_denied`; the other is asked again",
    ],
    tokensOfDay: [
      "Tokens given back, tokens that came again, and copies of passkeys, each",
      "nothing is recorded, and all ends that has to",
    ],
  }),
  group("Tokens of one grant", "src/provider/library/adapter.ts", grantLimits, {
    ofGrant: ["Codes, access tokens and refresh tokens, each", "those that would end first go"],
  }),
  group("Passwords that people type", "src/provider/login/guesses.ts", guessLimits, {
    ofAddress: [
      "Those of strangers of one address before the threads at a time",
      "the next one waits",
    ],
    waitingOfAddress: ["Those of it that wait", "refused with `HASHING_OVERLOADED`"],
    ofSubscriber: ["Those of strangers of a /56 of IPv6", "the next one waits"],
    waitingOfSubscriber: ["Those of it that wait", "refused with `HASHING_OVERLOADED`"],
    ofSite: ["Those of strangers of a /48 of IPv6", "the next one waits"],
    waitingOfSite: ["Those of it that wait", "refused with `HASHING_OVERLOADED`"],
    ofMachine: ["Those of strangers where no address is known", "the next one waits"],
    waitingOfMachine: ["Those of them that wait", "refused with `HASHING_OVERLOADED`"],
    ofBrowser: ["Those of one person in a browser that is known", "the next one waits"],
    waitingOfBrowser: ["Those of it that wait", "refused with `HASHING_OVERLOADED`"],
    remembered: [
      "Addresses, of IPv6 each /48, whose tries of late decide who is next",
      "the first is forgotten",
    ],
  }),
  group("Codes and links", "src/domain/user/human/state.ts", codeLifetimesMs, {
    initialization: [
      "Milliseconds of the code of an invitation, from when its mail leaves",
      isVoid,
    ],
    phone: ["Milliseconds of a code for a phone number", isVoid],
    password: ["Milliseconds of the code for a forgotten password", isVoid],
    passwordless: ["Milliseconds of a link to create a passkey", isVoid],
  }),
  group("Requests of applications that are refused", "src/pages/html/refused.ts", refusedLimits, {
    shownCharacters: [
      "Characters of a URI or client id that the page shows as it was sent",
      "they are cut off",
    ],
  }),
  group("Scopes of a login", "src/provider/token/scopes.ts", scopeLimits, {
    audiences: ["Projects that it names as audiences", "those named first are left out"],
  }),
  group("Forgotten passwords", "src/domain/user/login/reset.ts", resetLimits, {
    mailsOfPerson: [
      "Mails for one person within an hour, for which a code is good",
      "no other is made, and nothing else said",
    ],
    asksOfAddress: ["Times that it is asked for one from one address in it", "it is told to wait"],
    asksOfMachine: ["The same where no address is known", "it is told to wait"],
  }),
  group(
    "JWTs by which applications prove themselves",
    "src/provider/token/assertion.ts",
    assertionLimits,
    {
      assertionMs: ["Milliseconds until one ends when it is shown", "it proves nothing"],
      keysTried: [
        "Keys of the application that are tried where none is named",
        "older ones are not",
      ],
    },
  ),
  group("Applications that are told of a logout", "src/provider/token/slow.ts", slowLimits, {
    answeredMs: [
      "Milliseconds in which one answers",
      "those of its organization are told one at a time until one is in time",
    ],
    slowOrganizationsMax: ["Organizations of which that is remembered", "the first is forgotten"],
  }),
  group("Keys that tokens are signed with", "src/domain/signing.ts", signingLimits, {
    publishedMs: ["Milliseconds for which a key is published before it signs", "it signs"],
    keptMs: ["Milliseconds for which it is published when another one signs", "it is no more"],
    keys: ["Keys that are published", "the command refuses another, unless it takes all away"],
  }),
];
