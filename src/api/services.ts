import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, MethodImpl, ServiceImpl } from "@connectrpc/connect";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { AssetService } from "../../gen/iam/asset/v1/asset_service_pb.js";
import { AuthService } from "../../gen/iam/auth/v1/auth_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { accountHandlers } from "./account/account.ts";
import { passkeyHandlers } from "./account/passkey.ts";
import { actionHandlers } from "./action.ts";
import { actionTestHandlers } from "./action-test.ts";
import { appChangeHandlers } from "./app/change.ts";
import { appHandlers } from "./app/create.ts";
import { appKeyHandlers } from "./app/key.ts";
import { appReadHandlers } from "./app/read.ts";
import { samlAppHandlers } from "./app/saml.ts";
import { changing } from "./changing.ts";
import { eventSearchHandlers } from "./event-search.ts";
import { fieldRules } from "./field-rules.ts";
import { flowHandlers } from "./flow.ts";
import { groupHandlers, groupMemberHandlers } from "./group.ts";
import { groupGrantHandlers } from "./group-grant.ts";
import { idpHandlers } from "./idp/idp.ts";
import { templateHandlers } from "./idp/template.ts";
import { once, type UnaryHandler } from "./once.ts";
import { orgHandlers } from "./org.ts";
import { assetHandlers } from "./policy/asset.ts";
import { instanceLabelHandlers, labelPolicyHandlers } from "./policy/label.ts";
import { instanceLoginHandlers, loginPolicyHandlers } from "./policy/login.ts";
import { instancePrivacyHandlers, privacyPolicyHandlers } from "./policy/privacy.ts";
import { projectHandlers } from "./project.ts";
import { projectGrantHandlers } from "./project-grant.ts";
import { projectGrantReadHandlers } from "./project-grant-list.ts";
import { roleHandlers } from "./role.ts";
import type { Service } from "./service.ts";
import { credentialHandlers } from "./user/credential.ts";
import { emailHandlers } from "./user/email.ts";
import { eraseHandlers } from "./user/erase.ts";
import { grantHandlers, grantReadHandlers } from "./user/grant.ts";
import { humanHandlers } from "./user/human.ts";
import { invitationHandlers } from "./user/invitation.ts";
import { linkedIDPHandlers } from "./user/linked-idp.ts";
import { machineKeyHandlers } from "./user/machine-key.ts";
import { memberHandlers } from "./user/member.ts";
import { memberReadHandlers } from "./user/member-read.ts";
import { membershipHandlers } from "./user/membership.ts";
import { metadataHandlers } from "./user/metadata.ts";
import { ownHandlers } from "./user/own.ts";
import { personalDataHandlers } from "./user/personal-data.ts";
import { phoneHandlers } from "./user/phone.ts";
import { userReadHandlers } from "./user/read.ts";
import { sessionHandlers } from "./user/session.ts";
import { userHandlers } from "./user/user.ts";
import { type WatchLimits, watchHandlers, watchLimits } from "./watch.ts";

/** A service of the contract with its handlers. */
export interface ServedService {
  readonly service: DescService;
  register(router: ConnectRouter, optionsOf: OptionsOf): void;
  /** The function behind a unary method of the service. */
  unary(method: DescMethod): UnaryHandler;
}

/** How Connect reads and writes the messages of a method. */
export type OptionsOf = (method: DescMethod) => NonNullable<Parameters<ConnectRouter["rpc"]>[2]>;

/** All services; a method of the contract without a handler does not compile. */
export function createServices(
  service: Service,
  watches: WatchLimits = watchLimits,
): readonly ServedService[] {
  // A noun's handlers stand together, whichever service they are called through.
  const handlers = {
    ...allOfActions(service),
    ...appHandlers(service),
    ...appChangeHandlers(service),
    ...appKeyHandlers(service),
    ...appReadHandlers(service),
    ...credentialHandlers(service),
    ...emailHandlers(service),
    ...eraseHandlers(service),
    ...personalDataHandlers(service),
    ...eventSearchHandlers(service),
    ...grantHandlers(service),
    ...grantReadHandlers(service),
    ...groupHandlers(service),
    ...groupGrantHandlers(service),
    ...groupMemberHandlers(service),
    ...humanHandlers(service),
    ...idpHandlers(service),
    ...invitationHandlers(service),
    ...linkedIDPHandlers(service),
    ...machineKeyHandlers(service),
    ...memberHandlers(service),
    ...memberReadHandlers(service),
    ...membershipHandlers(service),
    ...metadataHandlers(service),
    ...orgHandlers(service),
    ...ownHandlers(service),
    ...phoneHandlers(service),
    ...projectHandlers(service),
    ...projectGrantHandlers(service),
    ...projectGrantReadHandlers(service),
    ...roleHandlers(service),
    ...samlAppHandlers(service),
    ...sessionHandlers(service),
    ...userHandlers(service),
    ...userReadHandlers(service),
    ...watchHandlers(service, watches),
  };
  // What is of the same name in both services.
  const ofInstance = {
    ...instanceLabelHandlers(service),
    ...instanceLoginHandlers(service),
    ...instancePrivacyHandlers(service),
    ...templateHandlers(service, "instance"),
  };
  const ofOrganization = {
    ...labelPolicyHandlers(service),
    ...loginPolicyHandlers(service),
    ...privacyPolicyHandlers(service),
    ...templateHandlers(service, "organization"),
  };
  const wrap: Wrap = (method, handle) =>
    once(service, method, changing(method, fieldRules, handle));
  return [
    served(AdminService, { ...handlers, ...ofInstance }, wrap),
    served(ManagementService, { ...handlers, ...ofOrganization }, wrap),
    served(UserService, handlers, wrap),
    served(AuthService, handlers, wrap),
    served(EventService, handlers, wrap),
    served(GroupService, handlers, wrap),
    served(AssetService, assetHandlers(service), wrap),
    served(AccountService, { ...accountHandlers(service), ...passkeyHandlers(service) }),
  ];
}

/** The handlers on actions, and on where they run. */
function allOfActions(service: Service) {
  return { ...actionHandlers(service), ...actionTestHandlers(service), ...flowHandlers(service) };
}

/** Makes the function behind a unary method of its handler. */
type Wrap = (method: DescMethod, handle: UnaryHandler) => UnaryHandler;

/** Pairs a service with a complete set of handlers, those of unary methods wrapped. */
export function served<Desc extends DescService>(
  service: Desc,
  handlers: ServiceImpl<Desc>,
  wrap: Wrap = (_method, handle) => handle,
): ServedService {
  const byName: { readonly [localName: string]: unknown } = handlers;
  const unary = service.methods
    .filter(({ methodKind }) => methodKind === "unary")
    .map((method) => [method.localName, wrap(method, byName[method.localName] as UnaryHandler)]);
  const wrapped = { ...handlers, ...Object.fromEntries(unary) };
  return {
    service,
    register: (router, optionsOf) => {
      for (const method of service.methods) {
        const handle = wrapped[method.localName] as MethodImpl<typeof method>;
        router.rpc(method, handle, optionsOf(method));
      }
    },
    unary: ({ localName }) => wrapped[localName] as UnaryHandler,
  };
}
