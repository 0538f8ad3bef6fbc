import type { Claim } from "../event.ts";
import { foldText } from "../fold.ts";
import type { Rejection, Violation } from "./decision.ts";

/** The form in which names are compared: what looks the same to people must not be two names. */
export function foldName(name: string): string {
  return foldText(name).trim().replaceAll(/\s+/g, " ");
}

/** A character that people see; others are white space, controls or invisible by design. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

/** What does not belong into one line: logs, mails and terminals would take it for something. */
const lineBreaking = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Length is a rule of the contract; that a name shows something, in one line, is decided here. */
export function nameViolations(field: string, name: string): readonly Violation[] {
  if (isBlank(name)) return [{ field, description: "must not be blank" }];
  return lineViolations(field, name);
}

/** The rule for names that may be blank. */
export function lineViolations(field: string, text: string): readonly Violation[] {
  const description = "must not contain control characters or line breaks";
  return lineBreaking.test(text) ? [{ field, description }] : [];
}

/** Whether people see nothing of the text. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/** What has to differ from what, per kind of claim on a name. */
const uniqueNames: { readonly [claimKind: string]: string } = {
  "org.name": "organization of this instance",
  "project.name": "project of this organization",
  "app.name": "application of this project",
  "user.name": "user of this instance",
  "idp.name": "identity provider there",
  "action.name": "action of this organization",
};

/** The refusal of a passkey that somebody has, be it the same user. */
export const passkeyTaken: Rejection = {
  reason: "PASSKEY_TAKEN",
  message: "This passkey is registered already.",
};

/** The refusal where another stream holds the claim; undefined where that cannot be foreseen. */
export function claimTaken(claim: Claim): Rejection | undefined {
  const others = uniqueNames[claim.kind];
  if (others !== undefined) {
    const message = `Another ${others} has this name; case does not count. Choose a different one.`;
    return { reason: "NAME_TAKEN", message };
  }
  switch (claim.kind) {
    case "user.externalidp":
      return {
        reason: "IDP_LINK_TAKEN",
        message: "Another user is linked to this account at the identity provider.",
      };
    case "user.passkey":
      return passkeyTaken;
    case "app.entity":
      return {
        reason: "ENTITY_ID_TAKEN",
        message: "Another SAML application of the instance has this entity ID.",
      };
    default:
      return undefined;
  }
}
