import { streamOf } from "../../noun.ts";
import { user } from "../state/user.ts";
import type { CodeEvent } from "./delivery.ts";

/** The name of the place, within the stream of its user, that the code of an event is sealed to. */
const fields: { readonly [type in CodeEvent["type"]]: string } = {
  "user.human.initialization.code.added": "initialization.code",
  "user.human.email.code.added": "email.code",
  "user.human.email.requested": "email.request.code",
  "user.human.password.code.added": "password.code",
  "user.human.passwordless.link.added": "passwordless.code",
  "user.human.phone.code.added": "phone.code",
};

/**
 * The place that the code of an event is sealed to: a code opens for its user and purpose alone.
 */
export function codeFieldOf(type: CodeEvent["type"], userId: string) {
  return { stream: streamOf(user, userId), field: fields[type] };
}

/**
 * The link to a page where a person comes with a code. It is made from the configured address of
 * the service, never from what a request says.
 */
export function linkToPage(
  page: "initialize" | "email/verify" | "password" | "passwordless/init",
  { publicUrl, ...link }: PageLink,
): string {
  const { userId: userID, organization: orgID, codeId, code } = link;
  const query = { userID, orgID, ...(codeId === undefined ? {} : { codeID: codeId }), code };
  return `${publicUrl}/ui/${page}?${new URLSearchParams(query)}`;
}

/** What a link leads to; of several codes of a kind, `codeId` says which. */
interface PageLink {
  readonly publicUrl: string;
  readonly userId: string;
  readonly organization: string;
  readonly codeId?: string | undefined;
  readonly code: string;
}
