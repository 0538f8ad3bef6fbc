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
};

/** The refusal where another stream holds the claim; undefined where the claim is not on a name. */
export function nameTaken(claim: Claim): Rejection | undefined {
  const others = uniqueNames[claim.kind];
  if (others === undefined) return undefined;
  return {
    reason: "NAME_TAKEN",
    message: `Another ${others} has this name; case does not count. Choose a different one.`,
  };
}
