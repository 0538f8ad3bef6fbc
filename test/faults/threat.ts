import type { Fault } from "./fault.ts";
import { groupThreatFaults } from "./groups.ts";
import { roleThreatFaults } from "./roles.ts";
import { answerFaults } from "./threat-answer.ts";
import { codeFaults } from "./threat-code.ts";
import { customerFaults } from "./threat-customer.ts";
import { deviceFaults } from "./threat-device.ts";
import { externalThreatFaults } from "./threat-external.ts";
import { forgedFaults } from "./threat-forged.ts";
import { at, inputFaults } from "./threat-input.ts";
import { lineFaults } from "./threat-line.ts";
import { loginFaults } from "./threat-login.ts";
import { outsiderFaults } from "./threat-outsider.ts";
import { passkeyFaults } from "./threat-passkey.ts";
import { policyFaults } from "./threat-policy.ts";
import { raiseFaults } from "./threat-raise.ts";
import { recordFaults } from "./threat-record.ts";
import { registerThreatFaults } from "./threat-register.ts";
import { strangerFaults } from "./threat-stranger.ts";

/** The address that a request says the service has. */
const hostSaid =
  '"https://" + (context.requestHeader.get("x-forwarded-host") ?? context.requestHeader.get("host"))';

/**
 * Defences taken away, by the first name of the row of docs/threats.md that they are of: a test of
 * that name, in the files of that row, is what must find each.
 */
export const threatFaults: { readonly [row: string]: readonly Fault[] } = {
  ...externalThreatFaults,
  "GHSA-29jh-8cfq-rr8x": [
    [
      "address inside connected to",
      at("fetch/allow.ts", "if (!isSpecial(address)) return true;", "return true;"),
    ],
    ["address in a URL not checked", at("fetch/request.ts", "  checkLiteral(options);\n", "")],
  ],
  "CVE-2024-49753": [
    [
      "addresses of a name not checked",
      at("fetch/request.ts", "      checkAddress(address, options);\n", ""),
    ],
    [
      "special addresses taken for public",
      at("fetch/address.ts", `if (address.range() !== "unicast") return true;`, ""),
    ],
    [
      "what lies outside of global unicast taken for public",
      at("fetch/address.ts", " && !isWithin(address, globalUnicast)", " && false"),
    ],
  ],
  "CVE-2026-32131": [
    [
      "role in one organization reaches another",
      at("domain/permission.ts", " || from.organization !== to.organization", ""),
    ],
    [
      "metadata of a user of another organization shown",
      at(
        "api/user/metadata.ts",
        "found?.state.organization !== callOf(context).organization",
        "callOf(context) === undefined || found === undefined",
      ),
    ],
    [
      "user of another organization acted on",
      at(
        "domain/user/state/acting.ts",
        "return holds(caller",
        "return organization !== permission || holds(caller",
      ),
    ],
  ],
  "CVE-2025-27507": [
    [
      "instance permissions in a role of organizations",
      at(
        "domain/permission.ts",
        `ORG_OWNER: { level: "organization", permissions: organizationPermissions }`,
        `ORG_OWNER: { level: "organization", permissions: allPermissions }`,
      ),
    ],
    [
      "provider of the instance changed by its owner's people",
      at("domain/idp-change.ts", `return serves === "ORGANIZATION" && holds(`, "return holds("),
    ],
  ],
  "CVE-2026-27946": [
    [
      "people skip the code of their own phone",
      at(
        "domain/user/human/phone.ts",
        `if (verification === "SEND_CODE" || isReachable`,
        "if (true || isReachable",
      ),
    ],
  ],
  "CVE-2025-64102": [
    [
      "wrong codes of a phone not counted",
      at(
        "domain/user/state/human-state.ts",
        "const failures = (code?.failures ?? 0) + 1;",
        "const failures = 0;",
      ),
    ],
    [
      "wrong code leaves no event",
      at(
        "domain/user/human/phone.ts",
        `events: { user: [{ type: "user.human.phone.verification.failed", payload: {} }] },`,
        "",
      ),
    ],
    [
      "one try more",
      at(
        "domain/user/state/human-state.ts",
        "export const codeFailuresMax = 5;",
        "export const codeFailuresMax = 6;",
      ),
    ],
  ],
  "CVE-2025-64101": [
    [
      "link of an answer made of a header",
      at(
        "api/user/human.ts",
        "freshPasskeyLink(service,",
        `freshPasskeyLink({ ...service, publicUrl: () => ${hostSaid} },`,
      ),
    ],
    [
      "link of a mail made of a header",
      at(
        "api/user/human.ts",
        "const userId = service.newId();",
        `const userId = service.newId();\nglobalThis["said"] = ${hostSaid};`,
      ),
      at("notify/message/compose.ts", "publicUrl: publicUrl()", 'publicUrl: globalThis["said"]'),
    ],
  ],
  "mails that strangers ask for": [
    [
      "mails about passwords in the line of invitations",
      at("domain/sending.ts", `isReset ? "reset" : channel`, "channel"),
    ],
    [
      "mails about passwords that wait",
      at("domain/sending.ts", "isPatient: !isReset", "isPatient: true"),
    ],
    [
      "as many mails about passwords as anybody asks for",
      at("domain/sending.ts", `if (channel === "call") return`, `if (isReset) return`),
    ],
  ],
  "a link that strangers void": [
    [
      "a wrong code ends the link",
      at(
        "provider/login/reset.ts",
        "if (link === undefined) return over;",
        `if (link === undefined) {
    const payload = { code: "", expirationMs: 0 };
    const gone = { type: "user.human.password.code.added", payload } as const;
    const found = await findUser(site, visit.fields.of("userID"));
    if (found) await decide(site, found, () => ({ events: { user: [gone] } }));
    return over;
  }`,
      ),
    ],
    [
      "a password hashed for a wrong code",
      at(
        "provider/login/reset.ts",
        "if (link === undefined) return over;",
        `if (link === undefined) {
    await site.passwords.hashPassword("a better horse battery");
    return over;
  }`,
      ),
    ],
    [
      "the password of a link hashed in front of all others",
      at(
        "provider/login/reset.ts",
        "await site.guess.hash(by, password)",
        "await site.passwords.hashPassword(password)",
      ),
    ],
  ],
  "GHSA-pvm5-9frx-264r": [
    [
      "no signature checked where there is no such key",
      at(
        "provider/token/machine-client.ts",
        `signers.length > 0 ? signers : [["", { publicKey: nobodys, addedMs: 0 }]]`,
        "signers",
      ),
    ],
    [
      "a name that nobody has told from others",
      at(
        "provider/login/forgotten.ts",
        "return ok(sentPage(target));",
        "return { status: found === undefined ? 404 : 200, page: sentPage(target) };",
      ),
    ],
    [
      "an answer as soon as nothing is recorded",
      at("provider/login/forgotten.ts", "wait(resetLimits.answerMs,", "wait(0,"),
    ],
    [
      "an answer that waits for less where nothing is recorded",
      at("provider/login/factor.ts", "if (!isRecorded) await", "if (found === undefined) await"),
    ],
    [
      "names with passkeys told from others",
      at("provider/login/passkey-question.ts", "slice(ids.length)", "slice(shown)"),
    ],
    [
      "user of another organization told from none",
      at(
        "domain/user/human/phone.ts",
        `if (!isReachable(user, caller, permission)) return reject("USER_NOT_FOUND");\n  return outranks`,
        `if (!isReachable(user, caller, permission)) return reject(user ? "PERMISSION_DENIED" : "USER_NOT_FOUND");\n  return outranks`,
      ),
    ],
    [
      "code that is not there told from a wrong one",
      at(
        "domain/user/human/phone.ts",
        `code.expirationMs <= nowMs) return reject("CODE_INVALID");`,
        `code.expirationMs <= nowMs) return reject("PHONE_MISSING");`,
      ),
    ],
  ],
  "CVE-2026-55670": [
    [
      "id that comes again taken",
      at("execute/execute.ts", "version = isNew ? 0 : stored.version", "version = stored.version"),
    ],
  ],
  "CVE-2025-64717": [
    [
      "link at a provider that does not serve",
      at(
        "domain/user/human/human.ts",
        "!servesOrganization(",
        "undefined === ((idp, _organization: string) => idp)(",
      ),
    ],
  ],
  "GHSA-6mq3-xmgp-pjm5": [
    ["token with something behind it", at("gateway/call/caller.ts", "(\\S+) *$/i", "(\\S{57})/i")],
    ["JWT with something behind it", at("provider/token/jws.ts", "!isOneText(text) || ", "")],
  ],
  "GHSA-pr34-2v5x-6qjq": [
    [
      "scripts as links",
      at(
        "domain/uri.ts",
        "return scheme.length === 1 || deviceSchemes.includes(scheme);",
        "return scheme.length === 0 && deviceSchemes.length === 0;",
      ),
    ],
    [
      "scripts as origins",
      at("domain/uri.ts", "return !isOfDevice(new URL(given).protocol);", "return true;"),
    ],
  ],
  "CVE-2024-1722": [
    [
      "claim of another taken",
      at(
        "store/sqlite/append.ts",
        "if (other !== undefined && other !== stream) return { taken: claim, takes };",
        "",
      ),
    ],
  ],
  ...inputFaults,
  ...answerFaults,
  ...codeFaults,
  ...customerFaults,
  ...deviceFaults,
  ...forgedFaults,
  ...loginFaults,
  ...policyFaults,
  ...lineFaults,
  ...outsiderFaults,
  ...passkeyFaults,
  ...raiseFaults,
  ...recordFaults,
  ...registerThreatFaults,
  ...groupThreatFaults,
  ...roleThreatFaults,
  ...strangerFaults,
};
