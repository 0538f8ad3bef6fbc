import type { Claim } from "../event.ts";
import type { Rejection, Violation } from "./decision.ts";

/** The form in which names are compared: NFKC, lower case. `Straße` and `STRASSE` stay apart. */
export function foldName(name: string): string {
  // Lower case may compose where upper case could not: J and a caron become one letter.
  return name.normalize("NFKC").toLowerCase().normalize("NFKC");
}

/** A character that people see; others are white space, controls or invisible by design. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

/** Length is a rule of the contract; that a name shows something is decided here. */
export function nameViolations(field: string, name: string): readonly Violation[] {
  return visible.test(name) ? [] : [{ field, description: "must not be blank" }];
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
    case "app.entity":
      return {
        reason: "ENTITY_ID_TAKEN",
        message: "Another SAML application of the instance has this entity ID.",
      };
    default:
      return undefined;
  }
}
