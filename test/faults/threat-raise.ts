import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of what somebody gets in with, and who made it; see `threat.ts`. */
export const raiseFaults: { readonly [row: string]: readonly Fault[] } = {
  "an address that was only said": [
    [
      "an address that is good, no matter who chose it",
      at(
        "domain/user/state/credential.ts",
        `...(emailMade === undefined ? [] : [{ kind: "email", ...emailMade } as const]),`,
        "",
      ),
    ],
    [
      "a password that is the person's own, wherever its mail went",
      at(
        "domain/user/state/password.ts",
        "madeThrough(madeBy(event), ...leadingTo(event.type, human))",
        "madeBy(event)",
      ),
    ],
    [
      "a passkey that is the person's own, wherever its mail went",
      at(
        "domain/user/state/passkey-link.ts",
        "madeThrough(madeBy(event), emailMade)",
        "madeBy(event)",
      ),
    ],
    [
      "a link for a passkey to an address that nobody has verified",
      at("domain/user/credential/account.ts", " && human?.isEmailVerified ?", " ?"),
    ],
    [
      "a link to get in for who holds less than the person",
      at("domain/user/raise.ts", "return refuseAnswer(states, user) ?? again", "return again"),
    ],
    [
      "mails to an address that is void",
      at("domain/user/credential/invitation.ts", `email === "" && isVoid`, "false"),
    ],
    [
      "a code that verifies an address which is void",
      at("domain/user/state/voided.ts", "=> withoutEmailCode(human)", "=> human"),
    ],
    [
      "mails to verify an address that is void",
      at(
        "domain/user/human/change-email.ts",
        `if (emailMade === undefined) return reject("EMAIL_MISSING");`,
        "",
      ),
    ],
    [
      "an address verified by a link that nobody mailed",
      at("domain/user/credential/account.ts", " || !isMailed", ""),
    ],
  ],
  "Splitting the email atom": [
    ["what others decode before the @", at("domain/user/human/email.ts", "(?!.*=\\?)", "")],
    ["routes by other hosts before the @", at("domain/user/human/email.ts", "[\\]%!]", "[\\]]")],
    [
      "other forms of what must not stand there",
      at("domain/user/human/email.ts", `[name, name.normalize("NFKC")]`, "[name]"),
    ],
  ],
  "grants that outlive a voided password": [
    [
      "what came from logins left as it was",
      at("domain/user/state/voided.ts", "human.login !== undefined && endsLogins", "false"),
    ],
  ],
  "an administrator who logs in as a person": [
    [
      "password set without a word to the person",
      at(
        "domain/user/credential/set-password.ts",
        '...noticeOf(acting.user, { about: "password.changed" }),',
        "",
      ),
    ],
    [
      "erasure requested without a word to the person",
      at(
        "domain/user/erasure-request.ts",
        '{ type: "user.erasure.requested", payload: { dueMs } }, ...told]',
        '{ type: "user.erasure.requested", payload: { dueMs } }]',
      ),
    ],
    [
      "erased as a person who is locked",
      at("domain/user/state/asked-erasure.ts", " || isInactive === true", ""),
    ],
  ],
};
