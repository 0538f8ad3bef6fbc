import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of the account page, and of the erasures that people ask for there. */
export const accountFaults: readonly Fault[] = [
  [
    "forms of any session taken",
    at("provider/account/part.ts", "!isEqual(own.secret,", "false && ("),
  ],
  [
    "the account page named as an application of an organization",
    at(
      "pages/html/login.ts",
      "if (application === undefined) return",
      "if (organization.length === 0) return",
    ),
  ],
  [
    "no way to keep an account that is to be erased",
    at("pages/html/account/overview.ts", "erasure.withdraw}", "overview.name}"),
  ],
  ["dates as in America", at("text/language.ts", 'en: "en-GB"', 'en: "en"')],
  ["a login stays fresh", at("provider/account/part.ts", "site.now() - freshMs", "0")],
  [
    "forms need no fresh login",
    at(
      "provider/account/part.ts",
      'const own = await find(visit);\n      if (!("found" in own)) return own;',
      "const found = await findOwnSession(site, visit);\n      if (found === undefined) return loginTo(site, part);\n      const own = { ...found, site, visit };",
    ),
  ],
  [
    "a session goes on without a login",
    at("provider/account/part.ts", '{ prompt: "login" }', "{}"),
  ],
  [
    "back to wherever the address says",
    at(
      "provider/account/account.ts",
      'accountParts.find((part) => part === fields.of("state")) ?? "overview"',
      'fields.of("state") as "overview"',
    ),
  ],
  [
    "tokens for the account page",
    at(
      "provider/token/account-client.ts",
      "grant_types: []",
      'grant_types: ["client_credentials"]',
    ),
  ],
  [
    "the account of who is out of use",
    at(
      "domain/user/state/session.ts",
      "= user?.isInactive ? undefined : user?.human?.login?.sess",
      "= user?.human?.login?.sess",
    ),
  ],
  ["data without a fresh login", at("provider/account/account.ts", "  isFresh: () => true,\n", "")],
  [
    "erasure without a fresh login",
    at("provider/account/erasure.ts", "  isFresh: () => true,\n", ""),
  ],
  [
    "erasure of who holds roles is asked for",
    at(
      "domain/user/erasure-request.ts",
      'if (user.memberships.length > 0) return reject("USER_HOLDS_ROLES");',
      "",
    ),
  ],
  [
    "any number of erasures asked for in a day",
    at("domain/user/state/user.ts", "...countInDay(human.login.day, event)", ""),
  ],
  [
    "an erasure that was announced before a role or a lock",
    at("domain/user/state/asked-erasure.ts", "return { ...state, erasure };", "return state;"),
  ],
  [
    "an erasure that was announced before a lock",
    at("domain/user/state/user.ts", "...puttingOff(state), ...human", "...state, ...human"),
  ],
  [
    "erased while it is locked",
    at("domain/user/state/asked-erasure.ts", " || isInactive === true", ""),
  ],
  ["erased by a clock that has just been set", at("start/erase-asked.ts", " || !isSettled()", "")],
  [
    "erased though the service ends",
    at("start/erase-asked.ts", "      if (signal?.aborted) return;\n", ""),
  ],
  [
    "told though it was locked meanwhile",
    at("start/erase-asked.ts", "id: idOf(user, stream), version }", "id: idOf(user, stream) }"),
  ],
  [
    "removed for good who asked to be erased",
    at("api/user/user.ts", "context, removeOrErase)", "context, removeUser)"),
    at("api/user/user.ts", "  reactivateUser,\n", "  reactivateUser,\n  removeUser,\n"),
  ],
  [
    "erased by its removal though it is locked",
    at("domain/user/erasure-request.ts", " || isPutOff(user)", ""),
  ],
  [
    "erased before the time",
    at("domain/user/erasure-request.ts", "nextErasureStep(erasure) <= nowMs", "true"),
  ],
  [
    "erased without a day to take it back",
    at(
      "domain/user/erasure-request.ts",
      "Math.max(erasure.dueMs, nowMs + erasureTimes.announceMs)",
      "erasure.dueMs",
    ),
  ],
  [
    "erased though it was taken back",
    at(
      "domain/user/state/asked-erasure.ts",
      'case "user.erasure.withdrawn":\n      return {};',
      'case "user.erasure.withdrawn":\n      return asked ? { erasure: asked } : {};',
    ),
  ],
  [
    "erased for good while it holds roles",
    at("domain/user/state/asked-erasure.ts", "memberships.length > 0 || ", ""),
  ],
  [
    "metadata of who is erased stays",
    at(
      "start/erase-asked.ts",
      "...userRemoval({ userId, owner, newId }),",
      "...userRemoval({ userId, owner, newId }),\n      groups: {},",
    ),
  ],
  [
    "what happened to everybody is told",
    at("provider/account/activity.ts", "streams: [streamOf(user, userId)], types", "types"),
  ],
];
