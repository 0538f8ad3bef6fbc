import { isHttpUrl } from "../../text/http-url.ts";
import type { Problem } from "../decision.ts";
import { type Noun, unknownEvent } from "../noun.ts";
import { type PolicyEvent, type PolicyKind, type PolicyState, policyNoun } from "./policy.ts";

/** The links that people see on pages, and where they find help; an empty one is not set. */
export interface PrivacyPolicy {
  readonly tosLink: string;
  readonly privacyLink: string;
  readonly helpLink: string;
  readonly docsLink: string;
  readonly customLink: string;
  readonly customLinkText: string;
  /** An e-mail address. */
  readonly supportEmail: string;
}

/** What happens to a privacy policy. */
export type PrivacyPolicyEvent = PolicyEvent<"privacy", PrivacyPolicy>;

/** The noun of privacy policies. */
export const privacyPolicy: Noun<PolicyState<PrivacyPolicy>, PrivacyPolicyEvent> = {
  ...policyNoun,
  kind: "privacyPolicy",
  events: {
    "policy.privacy.added": "An organization got a privacy policy of its own",
    "policy.privacy.changed": "The links of it, or of the default of the instance, were replaced",
    "policy.privacy.removed": "It was removed, and the default of the instance holds again",
  },
  evolve(_state, event) {
    switch (event.type) {
      case "policy.privacy.added":
      case "policy.privacy.changed":
        return { ...event.payload, organization: event.owner };
      case "policy.privacy.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
};

/** Privacy policies as policies. */
export const privacy: PolicyKind<"privacy", PrivacyPolicy> = {
  name: "privacy",
  noun: privacyPolicy,
  defaults: {
    ...{ tosLink: "", privacyLink: "", helpLink: "", docsLink: "" },
    ...{ customLink: "", customLinkText: "", supportEmail: "" },
  },
  kept: [],
};

/** The rule of a link in a footer. */
export function httpsProblem(url: string): Problem {
  const isHttps = isHttpUrl(url) && new URL(url).protocol === "https:";
  return isHttps ? undefined : "must be an absolute https URL without user or password";
}
