import { create } from "@bufbuild/protobuf";
import { PrivacyPolicySchema } from "../../../gen/iam/policy/v1/privacy_policy_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { type PrivacyPolicy, privacy } from "../../domain/policy/privacy.ts";
import type { AdminHandlers, ManagementHandlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { type FoundHere, policyCalls } from "./calls.ts";

/** The handlers on the privacy policies of organizations. */
export function privacyPolicyHandlers(service: Service) {
  const calls = policyCalls(service, privacy, "organization");
  return {
    getPrivacyPolicy: async (_request, context) => ({
      policy: showPrivacy(await calls.find(context)),
    }),
    addCustomPrivacyPolicy: (request, context) => calls.add(context, readPrivacy(request)),
    updateCustomPrivacyPolicy: (request, context) => calls.update(request, context, form),
    resetPrivacyPolicyToDefault: (_request, context) => calls.reset(context),
  } satisfies ManagementHandlers;
}

/** The handlers on the privacy policy of the instance. */
export function instancePrivacyHandlers(service: Service) {
  const calls = policyCalls(service, privacy, "instance");
  return {
    getPrivacyPolicy: async (_request, context) => ({
      policy: showPrivacy(await calls.find(context)),
    }),
    updatePrivacyPolicy: (request, context) => calls.update(request, context, form),
  } satisfies AdminHandlers;
}

function readPrivacy(given: PrivacyPolicy): PrivacyPolicy {
  const { tosLink, privacyLink, helpLink, docsLink } = given;
  const { customLink, customLinkText, supportEmail } = given;
  return {
    ...{ tosLink, privacyLink, helpLink, docsLink, customLink, customLinkText, supportEmail },
  };
}

const form = { read: readPrivacy, show: readPrivacy };

/** A link and its text, of which one is given without the other. */
export function privacyViolations(given: PrivacyPolicy): readonly Violation[] {
  const { customLink, customLinkText } = given;
  if ((customLink === "") === (customLinkText === "")) return [];
  const [field, other] =
    customLink === "" ? ["custom_link_text", "custom_link"] : ["custom_link", "custom_link_text"];
  return [{ field, description: `must be given together with ${other}`, names: [other] }];
}

function showPrivacy({ policy, isDefault, details }: FoundHere<PrivacyPolicy>) {
  return create(PrivacyPolicySchema, { ...details, ...readPrivacy(policy), isDefault });
}
