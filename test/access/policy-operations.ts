import type { Role } from "../../src/domain/permission.ts";
import { images } from "../domain/image/images.ts";
import type { RequestIds } from "./given.ts";
import { inOrg, type Operation, ofAll, shows } from "./operation.ts";
import {
  aPolicy,
  aPolicyBesideProvider,
  aPolicyNamingProvider,
  aPolicyWithImage,
  aPolicyWithoutFactor,
  noPolicy,
  theDefault,
  theDefaultBesideProvider,
  theDefaultNamingProvider,
  theDefaultWithoutFactor,
} from "./policies.ts";

/** Who may call what about policies: rows of `operations`, written out by hand. */

const owner: readonly Role[] = ["IAM_OWNER"];
const owners: readonly Role[] = ["IAM_OWNER", "ORG_OWNER"];
const ofInstance: readonly Role[] = ["IAM_OWNER", "IAM_OWNER_VIEWER"];
const readers: readonly Role[] = [...ofInstance, "ORG_OWNER", "ORG_OWNER_VIEWER"];

const none = () => ({});
const blue = () => ({ primaryColor: "#0b57d0" });
const logo = () => ({ kind: "ASSET_KIND_LOGO", theme: "ASSET_THEME_LIGHT" });
const upload = () => ({ ...logo(), data: images.png });
const help = () => ({ helpLink: "https://example.com/help" });
// With `allow_register`, `register_domains` has an effect.
const password = () => ({ allowUsernamePassword: true, allowRegister: true });
const otp = () => ({ type: "SECOND_FACTOR_TYPE_OTP" });
const provider = ({ idp: idpId = "none" }: RequestIds) => ({ idpId });
const named = (end: string) => [`policy.login.idp.${end}`];
const factor = (end: string) => [`policy.login.second.factor.${end}`];

/** The rows by the names of their methods. */
// biome-ignore format: a table
export const policyOperations: { readonly [name: string]: Operation } = {
  "ManagementService.GetLabelPolicy": inOrg("policy.read", readers, [], none, [],
    aPolicy("label")),
  AddCustomLabelPolicy: inOrg("policy.write", owners, [], blue, ["policy.label.added"],
    noPolicy("label")),
  UpdateCustomLabelPolicy: inOrg("policy.write", owners, [], blue, ["policy.label.changed"],
    aPolicy("label")),
  ResetLabelPolicyToDefault: inOrg("policy.delete", owners, [], none, ["policy.label.removed"],
    aPolicy("label")),
  "AdminService.GetLabelPolicy": shows("nothing", ofAll("iam.policy.read", ofInstance, [],
    none, [], theDefault("label"))),
  UpdateLabelPolicy: shows("nothing", ofAll("iam.policy.write", owner, [],
    blue, ["policy.label.changed"], theDefault("label"))),

  Upload: inOrg("policy.write", owners, [], upload, ["policy.label.image.set"],
    aPolicyWithImage),
  Remove: inOrg("policy.write", owners, [], logo, ["policy.label.image.removed"],
    aPolicyWithImage),

  "ManagementService.GetPrivacyPolicy": inOrg("policy.read", readers, [], none, [],
    aPolicy("privacy")),
  AddCustomPrivacyPolicy: inOrg("policy.write", owners, [], help, ["policy.privacy.added"],
    noPolicy("privacy")),
  UpdateCustomPrivacyPolicy: inOrg("policy.write", owners, [], help, ["policy.privacy.changed"],
    aPolicy("privacy")),
  ResetPrivacyPolicyToDefault: inOrg("policy.delete", owners, [], none,
    ["policy.privacy.removed"], aPolicy("privacy")),
  "AdminService.GetPrivacyPolicy": shows("nothing", ofAll("iam.policy.read", ofInstance, [],
    none, [], theDefault("privacy"))),
  UpdatePrivacyPolicy: shows("nothing", ofAll("iam.policy.write", owner, [],
    help, ["policy.privacy.changed"], theDefault("privacy"))),

  "ManagementService.GetLoginPolicy": inOrg("policy.read", readers, [], none, [],
    aPolicy("login")),
  AddCustomLoginPolicy: inOrg("policy.write", owners, [], password, ["policy.login.added"],
    noPolicy("login")),
  UpdateCustomLoginPolicy: inOrg("policy.write", owners, [], password, ["policy.login.changed"],
    aPolicy("login")),
  ResetLoginPolicyToDefault: inOrg("policy.delete", owners, [], none, ["policy.login.removed"],
    aPolicy("login")),
  "AdminService.GetLoginPolicy": shows("nothing", ofAll("iam.policy.read", ofInstance, [],
    none, [], theDefault("login"))),
  UpdateLoginPolicy: shows("nothing", ofAll("iam.policy.write", owner, [],
    password, ["policy.login.changed"], theDefault("login"))),

  "ManagementService.ListLoginPolicySecondFactors": shows("nothing", inOrg("policy.read", readers,
    [], none)),
  "ManagementService.AddSecondFactorToLoginPolicy": inOrg("policy.write", owners,
    [], otp, factor("added"), aPolicyWithoutFactor),
  "ManagementService.RemoveSecondFactorFromLoginPolicy": inOrg("policy.write", owners,
    [], otp, factor("removed"), aPolicy("login")),
  "AdminService.ListLoginPolicySecondFactors": shows("nothing", ofAll("iam.policy.read",
    ofInstance, [], none)),
  "AdminService.AddSecondFactorToLoginPolicy": shows("nothing", ofAll("iam.policy.write", owner,
    [], otp, factor("added"), theDefaultWithoutFactor)),
  "AdminService.RemoveSecondFactorFromLoginPolicy": shows("nothing", ofAll("iam.policy.write",
    owner, [], otp, factor("removed"), theDefault("login"))),

  "ManagementService.ListLoginPolicyIDPs": shows("nothing", inOrg("policy.read", readers,
    [], none)),
  "ManagementService.AddIDPToLoginPolicy": inOrg("policy.write", owners,
    [], provider, named("added"), aPolicyBesideProvider),
  "ManagementService.RemoveIDPFromLoginPolicy": inOrg("policy.write", owners,
    [], provider, named("removed"), aPolicyNamingProvider),
  "AdminService.ListLoginPolicyIDPs": shows("nothing", ofAll("iam.policy.read",
    ofInstance, [], none)),
  "AdminService.AddIDPToLoginPolicy": shows("nothing", ofAll("iam.policy.write", owner,
    [], provider, named("added"), theDefaultBesideProvider)),
  "AdminService.RemoveIDPFromLoginPolicy": shows("nothing", ofAll("iam.policy.write",
    owner, [], provider, named("removed"), theDefaultNamingProvider)),
};
