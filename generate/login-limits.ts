import { loginPolicyLimits } from "../src/domain/policy/login.ts";
import { registerLimits } from "../src/domain/registration/pending.ts";
import { signingLimits } from "../src/domain/signing.ts";
import { resetLimits } from "../src/domain/user/login/reset.ts";
import { dayLimits } from "../src/domain/user/state/day.ts";
import { codeLifetimesMs } from "../src/domain/user/state/human-state.ts";
import { loginLimits } from "../src/domain/user/state/login-limits.ts";
import { recoveryLimits } from "../src/domain/user/state/recovery.ts";
import { refusedLimits } from "../src/pages/html/refused.ts";
import { deviceLimits } from "../src/provider/base/device.ts";
import { setupLimits } from "../src/provider/base/pending-otp.ts";
import { grantLimits } from "../src/provider/library/adapter.ts";
import { guessLimits } from "../src/provider/login/guesses.ts";
import { assertionLimits } from "../src/provider/token/assertion.ts";
import { groupClaimLimits } from "../src/provider/token/groups.ts";
import { roleClaimLimits } from "../src/provider/token/roles.ts";
import { scopeLimits } from "../src/provider/token/scopes.ts";
import { slowLimits } from "../src/provider/token/slow.ts";
import { type Group, group } from "./limit-group.ts";

const isVoid = "it expires";
const registerPast = "the page says so; no mail is sent";
const slowDown = "the device is told `slow_down`";
const tooMany = "no code is accepted until the window ends";
const notTaken = "refused with `INVALID_FIELDS`";

/** The bounds of logging in, and of the tokens that come from it. */
export const loginGroups: readonly Group[] = [
  group("Login policies", "src/domain/policy/login.ts", loginPolicyLimits, {
    idps: ["Identity providers that a policy names", "refused with `LIMIT_REACHED`"],
    sessionLifetimeMsMin: ["Milliseconds of the shortest lifetime of sessions", notTaken],
    sessionLifetimeMsMax: ["Milliseconds of the longest lifetime of sessions", notTaken],
  }),
  group("Logging in", "src/domain/user/state/login-limits.ts", loginLimits, {
    failures: ["Wrong passwords and codes of a person in a row", "unknown browsers are locked out"],
    lockedMs: [
      "Milliseconds of that lock, and of the window in which wrong tries count",
      "the lock ends",
    ],
    lockedMsMax: [
      "Milliseconds of the longest lock after wrong codes; each ten in a row double the lock",
      "the lock stays that long",
    ],
    codesOfDay: [
      "Wrong codes of a person in one known browser, which no lock keeps out",
      "no code is compared there until the next day",
    ],
    codesMs: ["Milliseconds from the first of them", "they are counted anew"],
    triesOfAddress: [
      "Wrong tries from one address in that window, for all persons together",
      "it has to wait",
    ],
    triesOfMachine: ["Wrong tries of strangers without a known address", "the same"],
    begunOfAddress: ["Logins that one address begins in that window", "it has to wait"],
    begunOfSite: ["Logins that one IPv6 /48 begins", "the same"],
    begun: [
      "Begun logins, sessions without a person, and passkey challenges",
      "the oldest are removed",
    ],
    begunBytes: ["Bytes of the parameters of a login", "refused as `invalid_request`"],
    sessions: ["Sessions of one person", "the oldest ends"],
    told: [
      "Applications of one session that are notified when it ends",
      "further ones are not notified",
    ],
    sessionMs: ["Milliseconds from the login to the end of a session", "it ends"],
    passkeyMs: ["Milliseconds that a browser has to present a passkey", "it needs a new challenge"],
    browsers: ["Known browsers of one person", "the oldest becomes unknown"],
    endedGrants: [
      "Ended grants that stay refused even if their rows are restored",
      "the oldest are forgotten",
    ],
    terminated: [
      "Sessions of one person that administrators ended one by one",
      "with one more, all sessions and tokens of the person end",
    ],
    consents: ["Applications that may act for one person", "the oldest consent ends"],
    sites: [
      "Sites of one consent to which answers go without a question",
      "the person is asked again for the oldest",
    ],
  }),
  group("Recovery codes", "src/domain/user/state/recovery.ts", recoveryLimits, {
    failures: [
      "Wrong ones of a person in a row, each of which counts as two wrong one-time codes",
      "unknown browsers are locked out",
    ],
  }),
  group("Events of a person per day", "src/domain/user/state/day.ts", dayLimits, {
    loginsOfDay: ["Logins, and separately consents", "`access_denied`; consent is asked again"],
    changesOfDay: [
      "Names that are replaced, and separately new passwords and addresses of people by themselves",
      "the account page refuses more",
    ],
    addressesOfDay: [
      "Mails about an e-mail address that the person requests",
      "the account page refuses more",
    ],
    tokensOfDay: [
      "Revoked tokens, reused tokens, and copied passkeys, each",
      "the tokens still end, but no event is recorded",
    ],
    factorsOfDay: [
      "New recovery codes, and removals of the authenticator app and of passkeys by the person, each",
      "refused",
    ],
    erasuresOfDay: ["Requests of the person to be erased", "the account page refuses more"],
  }),
  group("Authenticator apps that people set up", "src/provider/base/pending-otp.ts", setupLimits, {
    pendingMs: ["Milliseconds from the secret to the first code of the app", isVoid],
    failures: ["Wrong codes for that secret", "the secret is removed"],
  }),
  group("Tokens of one grant", "src/provider/library/adapter.ts", grantLimits, {
    ofGrant: [
      "Codes, access tokens and refresh tokens, each",
      "those that expire first are removed",
    ],
  }),
  group("Passwords that people type", "src/provider/login/guesses.ts", guessLimits, {
    ofAddress: [
      "Passwords of strangers from one address in the hashing threads at a time",
      "the next one waits",
    ],
    waitingOfAddress: ["Waiting passwords of that address", "refused with `HASHING_OVERLOADED`"],
    ofSubscriber: ["Passwords of strangers from one IPv6 /56", "the next one waits"],
    waitingOfSubscriber: ["Waiting passwords of that /56", "refused with `HASHING_OVERLOADED`"],
    ofSite: ["Passwords of strangers from one IPv6 /48", "the next one waits"],
    waitingOfSite: ["Waiting passwords of that /48", "refused with `HASHING_OVERLOADED`"],
    ofMachine: ["Passwords of strangers without a known address", "the next one waits"],
    waitingOfMachine: ["Waiting passwords of those strangers", "refused with `HASHING_OVERLOADED`"],
    ofBrowser: ["Passwords of one person in a known browser", "the next one waits"],
    waitingOfBrowser: ["Waiting passwords of that person", "refused with `HASHING_OVERLOADED`"],
    ofPerson: ["Passwords of one person in all known browsers", "the next one waits"],
    waitingOfPerson: ["Waiting passwords of that person", "refused with `HASHING_OVERLOADED`"],
    ofKnown: ["Passwords of known browsers at one address (IPv6: /48)", "the next one waits"],
    waitingOfKnown: ["Waiting passwords of those browsers", "refused with `HASHING_OVERLOADED`"],
    wrongOfPerson: [
      "Wrong or new passwords of one person in known browsers, within 15 minutes",
      "they wait as those of strangers",
    ],
    weight: [
      "Tries of an IPv4 /24 or IPv6 /32 that count as one more of each address in it",
      "other networks come first",
    ],
    remembered: [
      "Addresses (IPv6: /48) whose recent tries decide the order; networks and persons, each",
      "the oldest is forgotten",
    ],
  }),
  group("Codes and links", "src/domain/user/state/human-state.ts", codeLifetimesMs, {
    initialization: [
      "Milliseconds of the code of an invitation, counted from the sending of its mail",
      isVoid,
    ],
    email: [
      "Milliseconds of the code for an e-mail address, counted from the sending of its mail",
      isVoid,
    ],
    phone: ["Milliseconds of a code for a phone number", isVoid],
    password: ["Milliseconds of the code for a forgotten password", isVoid],
    passwordless: [
      "Milliseconds of a link to create a passkey, counted from the sending of its mail where it is mailed",
      isVoid,
    ],
  }),
  group("Refused requests of applications", "src/pages/html/refused.ts", refusedLimits, {
    shownCharacters: [
      "Characters of a URI or client id from the request that the page shows",
      "the rest is cut off",
    ],
  }),
  group("Scopes of a login", "src/provider/token/scopes.ts", scopeLimits, {
    audiences: ["Projects that a login names as audiences", "the first ones are left out"],
    roles: ["Roles that a login asks for by their keys", "the first ones are left out"],
    roleCharacters: ["Characters of the key of a role in a scope", "the scope is left out"],
  }),
  group("Roles in a token", "src/provider/token/roles.ts", roleClaimLimits, {
    ofToken: ["Roles that a token names", "it names none, and says so"],
    bytesOfToken: ["UTF-8 bytes of their claims as JSON", "it names none, and says so"],
  }),
  group("Groups in a token", "src/provider/token/groups.ts", groupClaimLimits, {
    bytesOfToken: [
      "UTF-8 bytes of their claims as JSON; claims of roles and groups share the limit of roles",
      "it names none, and says so",
    ],
  }),
  group("Forgotten passwords", "src/domain/user/login/reset.ts", resetLimits, {
    mailsOfPerson: [
      "Mails to one person within an hour",
      "no further mail is sent; the page looks the same",
    ],
    answerMs: [
      "Milliseconds before the answer to a request",
      "work that takes longer is not hidden by it",
    ],
    asksOfAddress: ["Requests from one address within that hour", "it has to wait"],
    asksOfMachine: ["Requests without a known address", "they have to wait"],
  }),
  group("People who register", "src/domain/registration/pending.ts", registerLimits, {
    codeMs: [
      "Milliseconds of the code to register, and from the right code to the end",
      "they begin again",
    ],
    failures: ["Wrong entries of that code", "they begin again"],
    names: ["User names tried other than the e-mail address", "they begin again"],
    asksOfAddress: ["Requests from one network address within an hour", registerPast],
    asksOfSite: ["Requests from one IPv6 /48 within an hour", registerPast],
    asksOfMachine: ["Requests without a known network address within an hour", registerPast],
    asksMs: ["Milliseconds of that hour", "requests are counted anew"],
    mailsOfMailbox: ["Mails to one e-mail address within a day", registerPast],
    asks: ["Requests of everybody within a day", registerPast],
    mailsMs: ["Milliseconds of that day", "requests are counted anew"],
    users: [
      "Users of an organization with one e-mail address that are looked at",
      "the oldest count",
    ],
  }),
  group("Codes of devices", "src/provider/base/device.ts", deviceLimits, {
    codeSeconds: ["Seconds of the code that a device shows", isVoid],
    expiredSeconds: [
      "Seconds after that in which the device is told `expired_token`",
      "it is told `invalid_grant`",
    ],
    intervalSeconds: [
      "Seconds that a device has to wait between two requests for tokens",
      slowDown,
    ],
    earlyMs: ["Milliseconds after such a request in which another is too early", slowDown],
    triesMs: ["Milliseconds of the window in which wrong codes count", "they are counted anew"],
    triesOfPerson: ["Wrong codes of one person who is logged in", tooMany],
    triesOfAddress: ["Wrong codes of strangers from one address", tooMany],
    triesOfSite: ["Wrong codes of strangers from one IPv6 /48", tooMany],
    triesOfMachine: ["Wrong codes of strangers without a known address", tooMany],
    tries: ["Wrong codes of all strangers", tooMany],
  }),
  group("JWTs that authenticate programs", "src/provider/token/assertion.ts", assertionLimits, {
    assertionMs: ["Milliseconds of the remaining lifetime of a JWT", "it is refused"],
    keysTried: [
      "Keys of the application that are tried when the JWT names none",
      "older ones are skipped",
    ],
  }),
  group("Notifying applications of a logout", "src/provider/token/slow.ts", slowLimits, {
    answeredMs: [
      "Milliseconds that an application has to answer",
      "the applications of its organization are notified one at a time until one answers in time",
    ],
    slowOrganizationsMax: ["Organizations that are remembered as slow", "the oldest is forgotten"],
  }),
  group("Signing keys", "src/domain/signing.ts", signingLimits, {
    publishedMs: ["Milliseconds that a key is published before it signs", "it signs"],
    keptMs: ["Milliseconds that a key stays published after another one signs", "it is removed"],
    keys: ["Published keys", "the command refuses another, unless it replaces them all"],
    unreadMs: [
      "Milliseconds that a process uses keys which it cannot read again, since it last could",
      "status 503, `temporarily_unavailable`, until it can",
    ],
  }),
];
