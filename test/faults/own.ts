import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const own = "domain/user/own/own.ts";
const email = "domain/user/own/email.ts";
const password = "provider/account/password.ts";

/** Mistakes of what people change of their own accounts. */
export const ownFaults: readonly Fault[] = [
  [
    "own changes without the session",
    at(own, "user?.human === undefined || session === undefined", "user?.human === undefined"),
    at(own, "const { via = [] } = session;", "const { via = [] } = session ?? {};"),
  ],
  [
    "own changes without the hands of the session",
    at(own, "const { via = [] } = session;", "const via: string[] = [];"),
  ],
  [
    "own changes before the account is taken over",
    at(
      own,
      'if (user.human.initialization !== undefined) return reject("USER_NOT_INITIALIZED");\n',
      "",
    ),
  ],
  [
    "own session ends with the others",
    at(
      "domain/user/state/login-state.ts",
      "withoutLogins(after(login), event.payload.sessions)",
      "withoutLogins(after(login))",
    ),
  ],
  [
    "applications not told of the others",
    at(own, "logouts: logoutsOf(userId, others)", "logouts: logoutsOf(userId, [])"),
  ],
  [
    "own password without the one before",
    at(
      password,
      "from === undefined ? undefined : await judgeCurrent(own)",
      "undefined as Awaited<ReturnType<typeof judgeCurrent>>",
    ),
  ],
  [
    "own password that uses tries up",
    at(
      password,
      "  await takeBack(site, { name, found, ...visitorOf(visit.request, site) });\n",
      "",
    ),
  ],
  [
    "first password without a fresh login",
    at(password, "  isFresh: ({ human }) => human?.passwordHash === undefined,\n", ""),
  ],
  [
    "requested address in use before it is proven",
    at(
      email,
      "if (request === undefined || isSpent(request, nowMs)) return",
      "if (request === undefined) return",
    ),
  ],
  [
    "request that outlives the end of all logins",
    at(email, "request?.resets === resetsOf(user) ? request : undefined", "request"),
  ],
  [
    "request of others that outlives a role",
    at("domain/user/state/user.ts", "...withoutMadeRequest(human), login", "...human, login"),
  ],
  [
    "request that an administrator does not end",
    at(
      "domain/user/state/credential-state.ts",
      "withEmailRequest(withoutMails(human), undefined)",
      "withoutMails(human)",
    ),
  ],
  [
    "request that outlives its session, which the person ends from another",
    at(
      "domain/user/login/login.ts",
      "isFromAnother ? withdrawnWith(user?.human, sessionIds) : []",
      "isFromAnother ? [] : []",
    ),
  ],
  [
    "request that ends with a logout",
    at("provider/account/sessions.ts", "!sessionIds.includes(ownId)", "true"),
  ],
  [
    "request that outlives its session, which an administrator ends",
    at("domain/user/login/terminate.ts", "...withdrawnWith(user?.human, [sessionId])", ""),
  ],
  [
    "link for a passkey that outlives the session that it was made in",
    at("domain/user/credential/account.ts", "if (isOver) return", "if (isOver && false) return"),
  ],
  [
    "any number of requests a day",
    at(
      email,
      '    const full = refuseFull(human, "user.human.email.requested", nowMs);\n    if (full !== undefined) return full;\n',
      "",
    ),
  ],
  [
    "mail about a requested address to the one before",
    at(
      "domain/user/credential/delivery.ts",
      "    addressOf: ({ emailRequest }) => emailRequest?.email,\n",
      "",
    ),
  ],
  [
    "mail about a requested address that says whose it is",
    at("notify/message/compose.ts", 'leading("emailRequest",', 'leading("email",'),
  ],
  [
    "key retired that the code of a request needs",
    at(
      "domain/user/state/credential.ts",
      "emailCode, emailRequest, passwordCode, phone?.code]",
      "emailCode, passwordCode, phone?.code]",
    ),
  ],
  [
    "address before not told",
    at(email, "human.isEmailVerified && human.email !== email ? [human.email] : []", "[]"),
  ],
  [
    "own names without their rules",
    at(
      "provider/account/profile.ts",
      "if (wrong.length > 0) return",
      "if (wrong.length > 9) return",
    ),
  ],
];
