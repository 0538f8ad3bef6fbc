import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of logging in; see `threat.ts`. */
export const loginFaults: { readonly [row: string]: readonly Fault[] } = {
  "CVE-2025-64103": [
    [
      "one of two factors is enough",
      at(
        "domain/user/state/otp.ts",
        "isNeeded: ({ otpSecret }) => otpSecret !== undefined",
        "isNeeded: () => false",
      ),
    ],
  ],
  "CVE-2026-18963": [
    [
      "any code taken for that of the mail",
      at("domain/user/login/reset.ts", " && shown.opens(code.code)", ""),
    ],
    [
      "a code that stays when it was used",
      at(
        "domain/user/state/password.ts",
        "...withoutPasswordCode(human), ...set,",
        "...human, ...set,",
      ),
    ],
  ],
  "calls that keep others waiting": [
    [
      "any number of calls to slow applications",
      at("provider/token/slow.ts", "if (others > 0 && slow.has(organization))", "if (others < 0)"),
    ],
  ],
  "a lock that goes on": [
    [
      "the person's own login ends the lock for strangers",
      at("domain/user/state/login-state.ts", "isPast ? { ...login, failures: 0 } :", ""),
    ],
  ],
  "a password that was replaced": [
    [
      "sessions that stay",
      at(
        "domain/user/state/login-state.ts",
        "...rest, sessions: [], consents: [],",
        "...rest, consents: [],",
      ),
    ],
    [
      "grants that stay",
      at(
        "provider/token/granted.ts",
        "return resetsOf(person) === (grant.resets ?? 0);",
        "return true;",
      ),
    ],
    [
      "a login that goes on",
      at("provider/library/grant.ts", "isStill(state, told) ?", "told !== undefined ?"),
    ],
  ],
  "passwords guessed at once": [
    [
      "tries counted when they have failed",
      at("provider/base/tries.ts", "> loginLimits.failures", "> Number.MAX_VALUE"),
    ],
    [
      "tries of known browsers that a lock counts anew",
      at(
        "domain/user/state/login-state.ts",
        "lockedUntilMs: _ended, ...rest",
        "lockedUntilMs: _ended, knownSinceMs: _before, ...rest",
      ),
    ],
    [
      "tries of known browsers that nobody counts anew",
      at("domain/user/state/login-state.ts", ", knownSinceMs: event.timeMs });", " });"),
    ],
  ],
  "a stored hash as the secret": [
    [
      "what is kept compared with what is shown",
      at(
        "provider/library/patches.ts",
        `isHashOf(this.clientSecret ?? "", shownSecret)`,
        "this.clientSecret === shownSecret",
      ),
    ],
  ],
  "CVE-2026-11800": [
    [
      "what says that it is not signed taken for signed",
      at(
        "provider/token/jws.ts",
        "  for (const key of findKeys(kid)) {",
        `  if (header.alg === "none") return { type: typ, claims };
  for (const key of findKeys(kid)) {`,
      ),
    ],
  ],
  "CVE-2026-7507": [
    [
      "the name of a session kept",
      at(
        "provider/library/library.ts",
        "  for (const { apply } of patches) apply(",
        `  provider.Session.prototype.resetIdentifier = function keep() {
    Reflect.set(this, "touched", true);
  };
  for (const { apply } of patches) apply(`,
      ),
    ],
    [
      "a login that goes on where it did not begin",
      at("provider/login/open.ts", " && hasBegun(visit.request, site, details)", ""),
    ],
    [
      "a login that ends where it did not begin",
      at(
        "provider/library/binding.ts",
        "isBoundTo(login, cookieOf(ctx.headers.cookie, loginCookie(parts, login.uid)))",
        "true",
      ),
    ],
  ],
  "CVE-2026-16103": [
    [
      "a lock not looked at for a code",
      at(
        "provider/login/second-factor.ts",
        "const isAllowed = findLogin(found.state, visitor, site.now()) !== undefined;",
        "const isAllowed = true;",
      ),
    ],
    [
      "a password not looked at when a session begins",
      at(
        "domain/user/state/password.ts",
        "isPassword(passwordHash)",
        "isPassword(passwordHash) || true",
      ),
    ],
  ],
  "CVE-2023-22492": [
    [
      "tokens of users out of use",
      at(
        "provider/library/configuration.ts",
        "found === undefined || found.state.isInactive",
        "found === undefined",
      ),
      at("domain/access.ts", "user.isInactive || (frame", "(frame"),
      at(
        "domain/user/state/session.ts",
        "user?.isInactive ? undefined : user?.human?.login?.sessions",
        "user?.human?.login?.sessions",
      ),
      at(
        "domain/user/state/user.ts",
        "withEndedLinks(withoutLogins(state.human))",
        "withEndedLinks(state.human)",
      ),
    ],
  ],
  "CVE-2024-46999": [
    [
      "applications of projects out of use",
      at("provider/base/rows.ts", "found === undefined || found.isInactive", "found === undefined"),
    ],
  ],
  "GHSA-g2pf-ww5m-2r9m": [
    [
      "the organization looked at when a password is shown, and not later",
      at(
        "provider/library/configuration.ts",
        "client !== undefined && !(await mayLogIn(parts, found, oursOf(client).project))",
        "client === undefined && parts === undefined",
      ),
    ],
  ],
  "GHSA-7wfc-4796-gmg5": [
    [
      "the host that a proxy names",
      at("provider/base/locate.ts", `  raw.headers["x-forwarded-host"] = host;\n`, ""),
    ],
    [
      "the host that a request is sent to as to a proxy",
      at("provider/base/locate.ts", `withoutHost(raw.url ?? "")`, `raw.url ?? ""`),
    ],
  ],
  "GHSA-v959-qxv6-6f8p": [
    [
      "scripts as places to go on to",
      at(
        "domain/uri.ts",
        "return scheme.length === 1 || deviceSchemes.includes(scheme);",
        "return scheme.length === 0 && deviceSchemes.length === 0;",
      ),
    ],
  ],
  "GHSA-xmf8-cvqr-rfgj": [
    [
      "escapes of a header that are none",
      at(
        "provider/token/client-auth.ts",
        "  } catch {\n    return [",
        "  } finally {\n    if (!id) return [",
      ),
    ],
  ],
  "CVE-2026-56668": [
    [
      "tokens of applications for themselves",
      at(
        "provider/token/client.ts",
        `...(types.includes("code") ? ["authorization_code"] : []),`,
        `"client_credentials", ...(types.includes("code") ? ["authorization_code"] : []),`,
      ),
    ],
  ],
  "settings changed while a login is open": [
    [
      "addresses to come back to that are gone",
      at("provider/library/pending.ts", "client.redirectUriAllowed(redirectUri) &&", ""),
    ],
    [
      "grants that are gone",
      at("provider/library/pending.ts", "&& client.responseTypeAllowed(responseType)", ""),
    ],
    [
      "codes that nothing binds",
      at("provider/library/pending.ts", "if (!isBound && needsPKCE(client)) return false;", ""),
    ],
  ],
  "an assertion shown again": [
    [
      "assertions looked for, and then kept",
      at(
        "provider/library/patches.ts",
        `(_unique, { parts }) =>
      (clientId, jti, exp) =>
        isFirst(parts, { clientId, jti, exp })`,
        "(unique) => unique",
      ),
    ],
    [
      "assertions counted anew by one that ends sooner",
      at("provider/token/assertion.ts", "expiresMs: keptMs, isOnce: true", "expiresMs: keptMs"),
    ],
    [
      "assertions valid for years",
      at(
        "provider/library/library.ts",
        "if (isTimely(exp, parts.machineNow())) return;",
        "if (exp !== undefined) return;",
      ),
    ],
  ],
  "CVE-2026-79652": [
    [
      "any access token is one for the API",
      at("provider/token/access.ts", "|| !isForApi(scope)", "|| false"),
    ],
    [
      "a refresh token is one for the API",
      at("provider/token/access.ts", `kind === "RefreshToken" || `, ""),
    ],
    [
      "what nobody was asked about is granted",
      at(
        "provider/library/grant.ts",
        "const granted = consent ? asked :",
        "const granted = true ? asked :",
      ),
    ],
    [
      "a token outlives its consent",
      at("domain/access.ts", "?.consentId === consentId", "!== null"),
    ],
    [
      "a consent brings back what an earlier one gave",
      at("provider/library/grant.ts", "held === undefined || held === consent?.consentId", "true"),
    ],
  ],
  "CVE-2024-39683": [
    [
      "forms of any session",
      at("provider/account/part.ts", `!isEqual(own.secret, fields.of("secret"))`, "false"),
    ],
  ],
};
