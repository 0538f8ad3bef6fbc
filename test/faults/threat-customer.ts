import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of what organizations, their scripts and their applications may do; see `threat.ts`. */
export const customerFaults: { readonly [row: string]: readonly Fault[] } = {
  "a consent for another address": [
    [
      "consent for any address",
      at(
        "domain/user/login/consent.ts",
        "consent?.sites?.includes(site) ? consent : undefined",
        "site === undefined ? undefined : consent",
      ),
    ],
    [
      "consent ended by a refusal to another site",
      at(
        "provider/login/consent.ts",
        "!isOfDevice(details) && !isOfOthers",
        "!isOfDevice(details)",
      ),
    ],
    [
      "consent without its sites",
      at("domain/user/login/consent.ts", "?? consentId, sites };", "?? consentId };"),
    ],
  ],
  "claims that no page named": [
    [
      "a page that lists scopes alone",
      at(
        "provider/login/consent.ts",
        "Object.keys({ ...userinfo, ...idToken })",
        "Object.keys({ ...userinfo, ...idToken }).slice(0, 0)",
      ),
    ],
    [
      "a page that lists no claims of userinfo",
      at("provider/login/consent.ts", "...userinfo, ...idToken", "...idToken"),
    ],
  ],
  "a script that says who somebody is": [
    [
      "claims of a person set by scripts",
      at("domain/set-claims.ts", "...Object.values(claimsOfScope).flat(),", ""),
    ],
    [
      "standard claims set by scripts",
      at("domain/set-claims.ts", `"zoneinfo", "address"],`, `"zoneinfo"],`),
    ],
  ],
  "an audience that was not granted": [
    [
      "tokens for a project that the organization does not have",
      at("provider/token/extra.ts", "(await hasProject(parts, organization, frame)) && ", ""),
    ],
    [
      "roles of a project that the organization does not have",
      at(
        "provider/token/roles.ts",
        " || !(await hasProject(rows, asking, { ...of, projectId }))",
        "",
      ),
    ],
    [
      "introspection for a project that was taken back",
      at(
        "provider/token/introspect.ts",
        "(await hasProject(parts, organization, asker.project)) &&",
        "",
      ),
    ],
  ],
  "a customer that gives more than it was granted": [
    [
      "roles outside of a project grant given",
      at("domain/grant.ts", "granted?.includes(id) ?? true", `granted !== undefined || id !== ""`),
    ],
    [
      "roles given by a project grant to another organization",
      at(
        "domain/grant.ts",
        "projectGrant?.grantedOrgId === organization;",
        "projectGrant?.grantedOrgId !== undefined;",
      ),
    ],
    [
      "roles by an inactive project grant",
      at("domain/grant.ts", "[state, user, project, ...by]", "[state, user, project]"),
    ],
    [
      "roles that a project grant lost",
      at(
        "domain/grant.ts",
        `given?.has(state?.roleIds[index] ?? "") ?? true`,
        `given === undefined || state?.roleIds[index] !== ""`,
      ),
    ],
  ],
  "a key that leads a path elsewhere": [
    ["keys with parts of dots", at("domain/name.ts", "/^\\.{1,2} *$/.test(part)", "false")],
    ["keys with tabs between dots", at("domain/name.ts", "if (hasLineBreak(key))", "if (false)")],
    ["keys with parts of encoded dots", at("domain/name.ts", '.replaceAll(/%2e/gi, ".")', "")],
    ["keys with parts behind backslashes", at("domain/name.ts", "/[/\\\\?#]/", "/[/?#]/")],
    ["keys with dots before a query", at("domain/name.ts", "/[/\\\\?#]/", "/[/\\\\]/")],
  ],
  "a link that outlives a lock": [
    [
      "links kept by a lock",
      at(
        "domain/user/state/user.ts",
        "withEndedLinks(withoutLogins(state.human))",
        "withoutLogins(state.human)",
      ),
    ],
    [
      "a mail that sets up an account kept by a lock",
      at("domain/user/state/credential-state.ts", "withEndedInitialization(human) :", "human :"),
    ],
    [
      "links of mails kept by a password that was set",
      at(
        "domain/user/state/login-state.ts",
        '...withEndedLinks(evolveCredential(human, event), "mailed"), login: ended',
        "...evolveCredential(human, event), login: ended",
      ),
    ],
  ],
  "passkeys without end": [
    [
      "one passkey more",
      at("domain/user/credential/account.ts", "passkeys.length < most", "passkeys.length <= most"),
    ],
    [
      "a passkey more by a link of before",
      at("domain/user/credential/account.ts", "refusePasskey(human) ?? accept", "accept"),
    ],
    [
      "links for passkeys that have no room",
      at(
        "domain/user/credential/invitation.ts",
        "const full = refusePasskey(human);",
        "const full = undefined;",
      ),
    ],
  ],
};
