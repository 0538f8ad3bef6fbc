import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Rows that are named more than once. */
const taken = "a name or an address that others take";

/** Those of one who meddles with the logins of others; see `threat.ts`. */
export const outsiderFaults: { readonly [row: string]: readonly Fault[] } = {
  "CVE-2025-52553": [
    [
      "any value of the cookie of a login taken for its secret",
      at(
        "provider/library/binding.ts",
        "return shown !== undefined && isHashOf(browserHash, shown);",
        "return shown !== undefined;",
      ),
    ],
    [
      "the way back to a login told to any browser",
      at("provider/login/reset.ts", " && hasBegun(request, site, { ...login, uid })", ""),
    ],
  ],
  [taken]: [
    [
      "an address that is not verified taken for one",
      at(
        "domain/user/state/address.ts",
        "isInactive || !human?.isEmailVerified",
        "isInactive || !human",
      ),
    ],
    [
      "one who has an address as user name comes first",
      at(
        "provider/login/person.ts",
        "  // A claim says whose row",
        "  if (byName !== undefined) return byName;\n  // A claim says whose row",
      ),
    ],
    [
      "the organization of the application decides nothing",
      at("provider/login/person.ts", "sorted.find(isOf(organization))", "undefined"),
    ],
    [
      "the organization of the application decides of those who have it as user name, too",
      at("provider/login/person.ts", "return hasBoth ? first :", "return"),
    ],
    [
      "who has it as both has it, no matter who was there first",
      at(
        "provider/login/person.ts",
        "const [first] = sorted;",
        "const first = byName ?? sorted[0];",
      ),
    ],
    ["who came last has the address", at("provider/login/person.ts", "? -1 : 1", "? 1 : -1")],
  ],
  "CVE-2025-31123": [
    [
      "keys of applications that have ended",
      at("provider/token/assertion.ts", "isCurrent(key, nowMs)", "isCurrent(key, 0)"),
    ],
    [
      "tokens of a machine whose key has ended",
      at("domain/user/state/machine-entry.ts", "isCurrent(key, nowMs)", "isCurrent(key, 0)"),
    ],
  ],
  "CVE-2025-12110": [
    [
      "refresh tokens of applications that may have none",
      at(
        "provider/token/client.ts",
        `...(config.grantTypes.includes("REFRESH_TOKEN") ? ["refresh_token"] : []),`,
        `"refresh_token",`,
      ),
    ],
    [
      "refresh tokens told of that nobody may use",
      at("provider/token/token.ts", "&& !mayRefresh(client)", "&& !client"),
    ],
  ],
  "CVE-2025-12390": [
    [
      "a session that stays when another person logs in",
      at("provider/library/patches.ts", "        await recordEnd(parts, this);\n", ""),
    ],
  ],
  "one-time codes guessed on and on": [
    [
      "a lock that stays as short for codes",
      at(
        "domain/user/login/login.ts",
        "loginLimits.lockedMs * 2 ** (locks - 1)",
        "loginLimits.lockedMs",
      ),
    ],
    [
      "any number of codes in a known browser",
      at("provider/base/tries.ts", "if (given.isCode && codes >", "if (given.isCode && -codes >"),
    ],
    [
      "codes of a known browser forgiven by a login in another",
      at(
        "provider/base/tries.ts",
        'counting(site, "codes", codesOf(given))',
        'counting(site, "codes", whoseOf(given))',
      ),
    ],
    [
      "right codes of a known browser counted",
      at("provider/base/tries.ts", "if (isKnown && !given.isCode) return;", "if (isKnown) return;"),
    ],
    [
      "codes that a known browser has forgiven",
      at(
        "domain/user/state/login-state.ts",
        "...(isPast ? { ...login, failures: 0 }",
        "...(isPast ? { ...fresh, failures: 0 }",
      ),
    ],
  ],
  "a JWT taken for another": [
    [
      "an extension that nobody knows taken",
      at("provider/library/library.ts", "if (crit !== undefined)", "if (crit === 0)"),
    ],
    [
      "an id that is no text taken for none",
      at(
        "provider/token/assertion.ts",
        `if (typeof jti !== "string") return "jti`,
        `if (typeof jti !== "string") return undefined && "jti`,
      ),
    ],
    [
      "an access token taken for an id token",
      at("provider/library/id-token.ts", `typ !== undefined && typ !== "JWT"`, "typ === 0"),
    ],
  ],
  "an assertion in another's name": [
    [
      "who is named is not asked for",
      at("provider/token/assertion.ts", "iss !== subject || sub !== subject", "sub !== subject"),
    ],
    [
      "assertions for any service",
      at("provider/token/assertion.ts", "if (![aud]", "if (false && ![aud]"),
    ],
    [
      "assertions that are yet to be made",
      at("provider/token/assertion.ts", "[iat, nbf].every", "[nbf].every"),
    ],
    [
      "assertions that begin at an odd time",
      at("provider/token/assertion.ts", `seconds === undefined`, `typeof seconds !== "number"`),
    ],
    [
      "tokens for the organizations of others by a key",
      at(
        "provider/library/machine-grant.ts",
        "      refuseOtherOrganization(ctx.oidc, library);\n",
        "",
      ),
    ],
    [
      "tokens for the organizations of others by a secret",
      at(
        "provider/library/library.ts",
        "params?.grant_type === secretGrant",
        `params?.grant_type === ""`,
      ),
    ],
    [
      "tokens for machines out of use",
      at("provider/token/machine-client.ts", "found?.state.isInactive ? [] : ", ""),
    ],
    [
      "keys that are taken for the one that is named",
      at("provider/library/machine-grant.ts", `(keyId = "") =>`, "(keyId) =>"),
    ],
    [
      "tokens that outlive their key",
      at(
        "provider/token/token.ts",
        "return findProof(subject.state, proofOf(kept.payload), parts.now())",
        "return proofOf(kept.payload)",
      ),
    ],
    [
      "keys that others made stay for who gets more",
      at("domain/user/state/credential.ts", `    ...current("key", keys),\n`, ""),
    ],
  ],
  "a log that one person fills": [
    [
      "any number of events of a person in a day",
      at("domain/user/state/day.ts", "< mostOf[type]", "< Number.MAX_VALUE"),
    ],
    [
      "any number of tokens of one grant",
      at("provider/library/adapter.ts", ", ofKindMax: grantLimits.ofGrant }", " }"),
    ],
  ],
  "tokens as long as their holder likes": [
    [
      "scopes of a machine with a key kept as they are sent",
      at(
        "provider/library/machine-grant.ts",
        '[...ctx.oidc.requestParamOIDCScopes].join(" ") || undefined',
        "params?.scope as string | undefined",
      ),
    ],
    [
      "a key of a role of any length in a scope",
      at("provider/token/scopes.ts", "role:(.{1,${scopeLimits.roleCharacters}})$", "role:(.+)$"),
    ],
    [
      "parameters of any length in a session",
      at("provider/library/configuration.ts", "made.request.refuseLong({", "void ({"),
    ],
  ],
  "an address that is used up": [
    [
      "right passwords counted for an address",
      at(
        "provider/base/tries.ts",
        "if (isKnown && !given.isCode) return;",
        "if (given !== undefined) return;",
      ),
    ],
    [
      "known browsers kept out by strangers",
      at("provider/base/tries.ts", `knows(found, browser) ? "known" : "strangers"`, `"strangers"`),
    ],
    [
      "passkeys kept out by strangers",
      at(
        "provider/login/passkey.ts",
        "  const ids = await takeChallenge(open);\n",
        `  if (await isTooManyOf(site, open.address)) return tooMany(open);
  const ids = await takeChallenge(open);\n`,
      ),
    ],
    [
      "answers to no question counted",
      at(
        "provider/login/passkey.ts",
        "  if (ids === undefined) return await firstAgain(",
        "  if (ids === undefined && (await isTooManyOf(site, open.address))) return tooMany(open);\n  if (ids === undefined) return await firstAgain(",
      ),
    ],
    [
      "wrong passkeys not counted",
      at(
        "provider/login/passkey.ts",
        "const isTooMany = await isTooManyOf(open.site, open.address);",
        "const isTooMany = false;",
      ),
    ],
    [
      "known browsers of an address counted together",
      at(
        "provider/base/tries.ts",
        ": bucketOf(found, browser);",
        `: kindOf(given) === "known" ? "all that are known" : bucketOf(found, browser);`,
      ),
    ],
  ],
};
