import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [asks, arrive] = ["provider/external/asks.ts", "provider/login/external-arrive.ts"];

/** Defences of logins by identity providers, by the first names of their rows. */
export const externalThreatFaults: { readonly [row: string]: readonly Fault[] } = {
  "large answers of identity providers": [
    [
      "answers of providers with any number of bytes",
      at("provider/external/http.ts", "if (answered.length > bytes) {", "if (bytes < 0) {"),
    ],
    [
      "answers of providers with any number of values",
      at("provider/external/http.ts", "if (count > values) {", "if (count < 0) {"),
    ],
    [
      "failed configurations remembered",
      at(
        "provider/external/discovery.ts",
        "known.forget(name)",
        "known.keep(name, { ...kept, askedMs: 0 })",
      ),
    ],
  ],
  "trials that end logins of others": [
    [
      "trials of providers without a count",
      at(
        "api/idp/template.ts",
        "      await countInDay(service, callOf(context).organization, [trials], tooMany);\n",
        "",
      ),
    ],
    [
      "trials of all organizations counted together",
      at("api/idp/template.ts", "callOf(context).organization, [trials]", "'all', [trials]"),
    ],
  ],
  "a stored secret sent elsewhere": [
    [
      "client secret kept for another issuer",
      at("domain/idp-change.ts", "isElsewhere && secretOf(state)", "false && secretOf(state)"),
    ],
  ],
  "a provider of all in one organization's hands": [
    [
      "provider for all owned where its maker is at home",
      at("api/idp/calls.ts", "isOfAll ? await ownerOfAll(store) :", "false ? '' :"),
    ],
  ],
  "a session whose provider is out of use": [
    [
      "sessions whose provider is not asked for",
      at("provider/base/policy.ts", "mayComeFrom(rows, person, session.external)", "true"),
    ],
    [
      "provider of a session forgotten",
      at("domain/user/state/login-state.ts", "there === undefined ? {} :", "there ? {} :"),
    ],
    [
      "account page of a session whose provider is out of use",
      at(
        "provider/account/own-session.ts",
        "if (!(await goesOn(",
        "if (kept.external === undefined && !(await goesOn(",
      ),
    ],
  ],
  "a fresh login that nobody was asked for": [
    [
      "the time of a provider taken for that of the log",
      at("provider/login/external-arrive.ts", "askedMs + aheadMs(site) }", "askedMs }"),
    ],
    [
      "an account made of a login as old as can be",
      at(
        "provider/login/external-account.ts",
        "...(arrived.askedMs === undefined ? {} : { askedMs: arrived.askedMs }),",
        "",
      ),
    ],
    [
      "any provider believed that says nothing",
      at("domain/idp-sign-in.ts", 'template !== "OIDC" && template', "template"),
    ],
    [
      "providers that are not told to ask anew",
      at(
        "provider/external/oidc.ts",
        "if (maxAge === undefined) return",
        "if (maxAge !== -1) return",
      ),
    ],
    [
      "time at which a provider asked, taken from userinfo",
      at("provider/external/oidc.ts", ", auth_time: claims.auth_time }", " }"),
    ],
    [
      "fresh login by a provider that has asked nobody",
      at(arrive, "if (!isAsked && isStale(", "if (asked.askedMs === 0 && isStale("),
    ],
    [
      "account page fresh by a provider that has asked nobody",
      at("domain/user/state/session.ts", "return isElsewhere ?", "return factors.length > 9 ?"),
    ],
    [
      "age of a session by a provider that has asked nobody",
      at("provider/library/library.ts", "provenMs(begun) < fromMs", "begun.begunMs < fromMs"),
    ],
  ],
  "CVE-2026-56665": [
    [
      "token without an end",
      at(
        "provider/external/jwt.ts",
        'requiredClaims: ["exp", "iat", "sub"]',
        'requiredClaims: ["sub"]',
      ),
    ],
    [
      "token by a key that it does not name",
      at("provider/external/jwt.ts", "if (kid === undefined) throw", "if (kid === '') throw"),
    ],
    [
      "token known by its signature, too",
      at("provider/external/handles.ts", "`${idpId} ${signed}`", "`${idpId} ${token}`"),
    ],
    [
      "token forgotten by the time of the machine",
      at("provider/external/handles.ts", "endsMs + aheadMs(parts)", "endsMs"),
    ],
    [
      "token forgotten before its last second ends",
      at("provider/external/jwt.ts", "skewSeconds) + 1) *", "skewSeconds)) *"),
    ],
  ],
  "CVE-2026-56666": [
    [
      "link proposed by an address that nobody has verified",
      at(arrive, "if (!isEmailVerified || organization", "if (organization"),
    ],
  ],
  "CVE-2026-9087": [
    [
      "account linked once more in the same login",
      at("provider/login/external-link.ts", "  await removeArrived(site, target.uid);\n", ""),
    ],
  ],
  "CVE-2025-46815": [
    ["answer of a provider taken twice", at(asks, "if (uses !== 1) return undefined;", "")],
  ],
  "GHSA-x445-f3h2-j279": [
    [
      "request of another provider taken",
      at(asks, "if (kept?.idpId !== idpId || ", "if (kept === undefined || "),
      at("provider/login/external.ts", "if (asked?.idpId !== idpId)", "if (asked === undefined)"),
    ],
  ],
};
