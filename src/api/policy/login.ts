import { create } from "@bufbuild/protobuf";
import type { UpdateLoginPolicyRequest } from "../../../gen/iam/admin/v1/login_policy_pb.js";
import type { AddCustomLoginPolicyRequest } from "../../../gen/iam/management/v1/login_policy_pb.js";
import { LoginPolicySchema, PasswordlessType } from "../../../gen/iam/policy/v1/login_policy_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { type LoginPolicy, login, type NamingPolicy } from "../../domain/policy/login.ts";
import { refuseProviders } from "../../domain/policy/offer.ts";
import { callOf } from "../call.ts";
import type { Masked } from "../changing.ts";
import { toDuration, toNanos } from "../duration.ts";
import type { AdminHandlers, ManagementHandlers } from "../handlers.ts";
import { servesOf, showNamed } from "../idp-link.ts";
import type { Service } from "../service.ts";
import { type FoundHere, policyCalls } from "./calls.ts";
import { refuseEffectless } from "./effectless.ts";
import { namedIDPHandlers } from "./named-idp.ts";
import { readFactors, refuseOthers, secondFactorHandlers, showFactors } from "./second-factor.ts";

/** The handlers on the login policies of organizations. */
export function loginPolicyHandlers(service: Service) {
  const calls = policyCalls(service, login, "organization");
  return {
    ...secondFactorHandlers(service, "organization"),
    ...namedIDPHandlers(service, "organization"),
    async getLoginPolicy(_request, context) {
      const found = await calls.find(context);
      return { policy: await showLogin(service, found), isDefault: found.isDefault };
    },
    addCustomLoginPolicy(request, context) {
      const named = request.idps.map(({ idpId, ownerType }) => ({ idpId, ...servesOf(ownerType) }));
      const idps = [...new Set(named.map(({ idpId }) => idpId))];
      const secondFactors = readFactors(request.secondFactors);
      const added = { ...readLogin(request), secondFactors, idps };
      return calls.add(context, added, {
        idps,
        refuse: (providers) => refuseProviders(providers, named, callOf(context).organization),
      });
    },
    updateCustomLoginPolicy: (request, context) => calls.update(request, context, form),
    resetLoginPolicyToDefault: (_request, context) => calls.reset(context),
  } satisfies ManagementHandlers;
}

/** The handlers on the login policy of the instance. */
export function instanceLoginHandlers(service: Service) {
  const calls = policyCalls(service, login, "instance");
  return {
    ...secondFactorHandlers(service, "instance"),
    ...namedIDPHandlers(service, "instance"),
    getLoginPolicy: async (_request, context) => ({
      policy: await showLogin(service, await calls.find(context)),
    }),
    updateLoginPolicy: (request, context) => calls.update(request, context, form),
  } satisfies AdminHandlers;
}

/** A login policy as requests give it; factors are named where it is added. */
type Given = Omit<UpdateLoginPolicyRequest, "$typeName" | "$unknown" | keyof Masked> &
  Partial<Pick<AddCustomLoginPolicyRequest, "secondFactors" | "multiFactors">>;

function readLogin(given: Given): Omit<NamingPolicy, "secondFactors" | "idps"> {
  const { allowRegister, forceMfa, hidePasswordReset, sessionLifetime } = given;
  return {
    ...{ allowRegister, forceMfa, hidePasswordReset },
    allowPassword: given.allowUsernamePassword,
    allowPasskeys: given.passwordlessType === PasswordlessType.ALLOWED,
    allowExternal: given.allowExternalIdp,
    ...(sessionLifetime ? { sessionLifetimeMs: toNanos(sessionLifetime) / 1e6 } : {}),
    registerDomains: [...new Set(given.registerDomains)].sort(),
  };
}

function showSettings(policy: LoginPolicy) {
  const { allowRegister, forceMfa, hidePasswordReset, sessionLifetimeMs } = policy;
  return {
    ...{ allowRegister, forceMfa, hidePasswordReset },
    allowUsernamePassword: policy.allowPassword,
    allowExternalIdp: policy.allowExternal,
    passwordlessType: policy.allowPasskeys
      ? PasswordlessType.ALLOWED
      : PasswordlessType.NOT_ALLOWED,
    ...(sessionLifetimeMs === undefined
      ? {}
      : { sessionLifetime: toDuration(sessionLifetimeMs * 1e6) }),
    registerDomains: [...policy.registerDomains],
  };
}

const form = { read: readLogin, show: showSettings };

/** Fields that would do nothing. */
export function loginViolations(given: Given): readonly Violation[] {
  const { secondFactors = [], registerDomains, allowRegister } = given;
  return [
    ...refuseEffectless({
      default_redirect_uri: given.defaultRedirectUri,
      password_check_lifetime: given.passwordCheckLifetime,
      external_login_check_lifetime: given.externalLoginCheckLifetime,
      mfa_init_skip_lifetime: given.mfaInitSkipLifetime,
      second_factor_check_lifetime: given.secondFactorCheckLifetime,
      multi_factor_check_lifetime: given.multiFactorCheckLifetime,
      multi_factors: given.multiFactors,
      allow_domain_discovery: given.allowDomainDiscovery,
      disable_login_with_email: given.disableLoginWithEmail,
      disable_login_with_phone: given.disableLoginWithPhone,
      force_mfa_local_only: given.forceMfaLocalOnly,
    }),
    ...refuseOthers(secondFactors),
    ...(registerDomains.length > 0 && !allowRegister ? [withoutRegistration] : []),
  ];
}

const withoutRegistration: Violation = {
  field: "register_domains",
  description: "has no effect without allow_register",
  names: ["allow_register"],
};

async function showLogin(
  { store }: Pick<Service, "store">,
  { policy, isDefault, details }: FoundHere<NamingPolicy>,
) {
  return create(LoginPolicySchema, {
    ...{ ...details, ...showSettings(policy), isDefault },
    ignoreUnknownUsernames: true,
    secondFactors: showFactors(policy.secondFactors),
    idps: await showNamed(store, policy.idps ?? []),
    hasIdpList: policy.idps !== undefined,
  });
}
