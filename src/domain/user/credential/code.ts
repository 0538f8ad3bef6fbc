import { streamOf } from "../../noun.ts";
import { user } from "../user.ts";
import type { CodeEvent } from "./delivery.ts";

/** The name of the place, within the stream of its user, that the code of an event is sealed to. */
const fields: { readonly [type in CodeEvent["type"]]: string } = {
  "user.human.initialization.code.added": "A code to initialize the account was created and sealed",
  "user.human.password.code.added":
    "Somebody requested a mail to reset the password; its code was created and sealed",
  "user.human.phone.code.added": "A code to verify the phone number was created and sealed",
};

/**
 * The place that the code of an event is sealed to: a code opens for its user and purpose alone.
 */
export function placeOfCode(type: CodeEvent["type"], userId: string) {
  return { stream: streamOf(user, userId), field: fields[type] };
}

/**
 * The link to a page where a person comes with a code. It is made from the configured address of
 * the service, never from what a request says.
 */
export function linkToPage(
  page: "initialize" | "password" | "passwordless/init",
  { publicUrl, ...parts }: PageLink,
): string {
  const { userId: userID, organization: orgID, codeId, code } = parts;
  const query = { userID, orgID, ...(codeId === undefined ? {} : { codeID: codeId }), code };
  return `${publicUrl}/ui/${page}?${new URLSearchParams(query)}`;
}

/** What a link leads to; of several codes of a kind, `codeId` says which. */
interface PageLink {
  readonly publicUrl: string;
  readonly userId: string;
  readonly organization: string;
  readonly codeId?: string;
  readonly code: string;
}
