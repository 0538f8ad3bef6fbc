// Pins the messages and enums of the contract in proto/: names, numbers and types, written out by
// hand.

import {
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  ScalarType,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { describe, expect, test } from "@jest/globals";
import { AccountService } from "../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../gen/iam/user/v2/user_service_pb.js";
import { calls } from "./contract-calls.ts";
import { objects } from "./contract-objects.ts";

const services = [AdminService, ManagementService, UserService, EventService, AccountService];

/** The files of the contract that a file reaches by its imports, itself included. */
function reach(file: DescFile, seen = new Set<DescFile>()): Set<DescFile> {
  if (seen.has(file) || !file.name.startsWith("iam/")) return seen;
  seen.add(file);
  for (const dependency of file.dependencies) reach(dependency, seen);
  return seen;
}
const files = new Set(services.flatMap((service) => [...reach(service.file)]));
const types = [...files].flatMap((file) => [...nestedTypes(file)]);

/** A table whose entries are freed of line breaks. */
function flat(table: Record<string, string>): Record<string, string> {
  const rows = Object.entries(table).map(([name, row]) => [name, row.replace(/\s+/g, " ")]);
  return Object.fromEntries(rows);
}

/** The type of a field without its label, in the words of a .proto file. */
function typeOf(field: DescField): string {
  const type = field.message ?? field.enum;
  return type?.typeName ?? ScalarType[field.scalar ?? 0]?.toLowerCase() ?? "";
}

/** A field in the notation of the table. The oneof of an optional field is no choice. */
function written(field: DescField): string {
  const label = field.fieldKind === "list" ? "repeated " : "";
  const optional = field.proto.proto3Optional ? "optional " : "";
  const choice = field.oneof === undefined ? "" : ` (oneof ${field.oneof.name})`;
  const deprecated = field.deprecated ? " deprecated" : "";
  const type = `${label}${optional}${typeOf(field)}`;
  return `${field.number} ${field.name}: ${type}${choice}${deprecated}`;
}

describe("messages and enums", () => {
  const details = "details: iam.v1.ObjectDetails";
  const detailsV2 = "details: iam.object.v2.Details";
  const human = "iam.management.v1.ImportHumanUserRequest";
  const imported = "iam.management.v1.ImportHumanUserResponse";
  const sendOrReturn = `3 send_code: iam.user.v2.SendPhoneVerificationCode (oneof verification) ·
    4 return_code: iam.user.v2.ReturnPhoneVerificationCode (oneof verification)`;
  const table: Record<string, string> = {
    ...objects,
    ...calls,
    "iam.admin.v1.AddIAMMemberRequest": "1 user_id: string · 2 roles: repeated string",
    "iam.admin.v1.AddIAMMemberResponse": `1 ${details}`,
    "iam.management.v1.AddOrgRequest": "1 name: string",
    "iam.management.v1.AddOrgResponse": `1 id: string · 2 ${details}`,
    "iam.management.v1.AddOrgMemberRequest": "1 user_id: string · 2 roles: repeated string",
    "iam.management.v1.AddOrgMemberResponse": `1 ${details}`,
    "iam.management.v1.AddProjectRequest": `1 name: string · 2 project_role_assertion: bool ·
      3 project_role_check: bool · 4 has_project_check: bool ·
      5 private_labeling_setting: iam.project.v1.PrivateLabelingSetting`,
    "iam.management.v1.AddProjectResponse": `1 id: string · 2 ${details}`,
    "iam.management.v1.AddProjectMemberRequest": `1 project_id: string · 2 user_id: string ·
      3 roles: repeated string`,
    "iam.management.v1.AddProjectMemberResponse": `1 ${details}`,
    "iam.management.v1.AddOIDCAppRequest": `1 project_id: string · 2 name: string ·
      3 redirect_uris: repeated string ·
      4 response_types: repeated iam.app.v1.OIDCResponseType ·
      5 grant_types: repeated iam.app.v1.OIDCGrantType · 6 app_type: iam.app.v1.OIDCAppType ·
      7 auth_method_type: iam.app.v1.OIDCAuthMethodType ·
      8 post_logout_redirect_uris: repeated string · 9 version: iam.app.v1.OIDCVersion ·
      10 dev_mode: bool · 11 access_token_type: iam.app.v1.OIDCTokenType ·
      12 access_token_role_assertion: bool · 13 id_token_role_assertion: bool ·
      14 id_token_userinfo_assertion: bool · 15 clock_skew: google.protobuf.Duration ·
      16 additional_origins: repeated string · 17 skip_native_app_success_page: bool ·
      reserved 18 · reserved 19`,
    "iam.management.v1.AddOIDCAppResponse": `1 app_id: string · 2 ${details} ·
      3 client_id: string · 4 client_secret: string · 5 none_compliant: optional bool ·
      6 compliance_problems: repeated iam.v1.LocalizedMessage`,
    "iam.management.v1.AddAPIAppRequest": `1 project_id: string · 2 name: string ·
      3 auth_method_type: iam.app.v1.APIAuthMethodType`,
    "iam.management.v1.AddAPIAppResponse": `1 app_id: string · 2 ${details} ·
      3 client_id: string · 4 client_secret: string`,
    "iam.management.v1.AddSAMLAppRequest": `1 project_id: string · 2 name: string ·
      3 metadata_xml: bytes (oneof metadata) · 4 metadata_url: string (oneof metadata) ·
      reserved 5`,
    "iam.management.v1.AddSAMLAppResponse": `1 app_id: string · 2 ${details} ·
      3 entity_id: string`,
    "iam.management.v1.AddMachineUserRequest": `1 user_name: string · 2 name: string ·
      3 description: string · 4 access_token_type: iam.user.v1.AccessTokenType ·
      5 user_id: string`,
    "iam.management.v1.AddMachineUserResponse": `1 user_id: string · 2 ${details}`,
    "iam.management.v1.AddPersonalAccessTokenRequest": `1 user_id: string ·
      2 expiration_date: google.protobuf.Timestamp`,
    "iam.management.v1.AddPersonalAccessTokenResponse": `1 token_id: string · 2 token: string ·
      3 ${details}`,
    "iam.management.v1.RemovePersonalAccessTokenRequest": "1 user_id: string · 2 token_id: string",
    "iam.management.v1.RemovePersonalAccessTokenResponse": `1 ${details}`,
    "iam.admin.v1.AddJWTIDPRequest": `1 name: string ·
      2 styling_type: iam.idp.v1.IDPStylingType · 3 jwt_endpoint: string · 4 issuer: string ·
      5 keys_endpoint: string · 6 header_name: string · 7 auto_register: bool`,
    "iam.admin.v1.AddJWTIDPResponse": `1 ${details} · 2 idp_id: string`,
    "iam.admin.v1.UpdateIDPOIDCConfigRequest": `1 idp_id: string · 2 issuer: string ·
      3 client_id: string · 4 client_secret: string · 5 scopes: repeated string ·
      6 display_name_mapping: iam.idp.v1.OIDCMappingField ·
      7 username_mapping: iam.idp.v1.OIDCMappingField`,
    "iam.admin.v1.UpdateIDPOIDCConfigResponse": `1 ${details}`,
    "iam.management.v1.AddOrgOIDCIDPRequest": `1 name: string ·
      2 styling_type: iam.idp.v1.IDPStylingType · 3 client_id: string ·
      4 client_secret: string · 5 issuer: string · 6 scopes: repeated string ·
      7 display_name_mapping: iam.idp.v1.OIDCMappingField ·
      8 username_mapping: iam.idp.v1.OIDCMappingField · 9 auto_register: bool`,
    "iam.management.v1.AddOrgOIDCIDPResponse": `1 ${details} · 2 idp_id: string`,
    "iam.management.v1.CreateActionRequest": `1 name: string · 2 script: string ·
      3 timeout: google.protobuf.Duration · 4 allowed_to_fail: bool`,
    "iam.management.v1.CreateActionResponse": `1 ${details} · 2 id: string`,
    [human]: `1 user_name: string · 2 profile: ${human}.Profile · 3 email: ${human}.Email ·
      4 phone: ${human}.Phone · 5 password: string · 6 hashed_password: ${human}.HashedPassword ·
      7 password_change_required: bool · 8 request_passwordless_registration: bool ·
      9 otp_code: string · 10 idps: repeated ${human}.IDP`,
    [`${human}.Profile`]: `1 first_name: string · 2 last_name: string · 3 nick_name: string ·
      4 display_name: string · 5 preferred_language: string · 6 gender: iam.user.v1.Gender`,
    [`${human}.Email`]: "1 email: string · 2 is_email_verified: bool",
    [`${human}.Phone`]: "1 phone: string · 2 is_phone_verified: bool",
    [`${human}.HashedPassword`]: "1 value: string",
    [`${human}.IDP`]: `1 config_id: string · 2 external_user_id: string ·
      3 display_name: string`,
    [imported]: `1 user_id: string · 2 ${details} ·
      3 passwordless_registration: ${imported}.PasswordlessRegistration`,
    [`${imported}.PasswordlessRegistration`]: `1 link: string ·
      2 lifetime: google.protobuf.Duration deprecated · 3 expiration: google.protobuf.Duration`,
    "iam.user.v2.SetPhoneRequest": `1 user_id: string · 2 phone: string ·
      ${sendOrReturn} · 5 is_verified: bool (oneof verification)`,
    "iam.user.v2.SetPhoneResponse": `1 ${detailsV2} · 2 verification_code: string`,
    "iam.user.v2.ResendPhoneCodeRequest": `1 user_id: string · ${sendOrReturn} · reserved 2`,
    "iam.user.v2.ResendPhoneCodeResponse": `1 ${detailsV2} · 2 verification_code: string`,
    "iam.user.v2.VerifyPhoneRequest": "1 user_id: string · 2 verification_code: string",
    "iam.user.v2.VerifyPhoneResponse": `1 ${detailsV2}`,
    "iam.user.v2.RemovePhoneRequest": "1 user_id: string",
    "iam.user.v2.RemovePhoneResponse": `1 ${detailsV2}`,
    "iam.user.v2.SendPhoneVerificationCode": "",
    "iam.user.v2.ReturnPhoneVerificationCode": "",
    "iam.object.v2.Details": `1 sequence: uint64 · 2 change_date: google.protobuf.Timestamp ·
      3 resource_owner: string · 4 creation_date: google.protobuf.Timestamp`,
    "iam.v1.ObjectDetails": `1 sequence: uint64 · 2 creation_date: google.protobuf.Timestamp ·
      3 change_date: google.protobuf.Timestamp · 4 resource_owner: string`,
    "iam.v1.LocalizedMessage": "1 key: string · 2 localized_message: string",
    "iam.v1.Access": `1 permission: string · 2 organization_header: bool ·
      3 project_field: string · 4 owner_permission: string`,
    "iam.project.v1.PrivateLabelingSetting": `0 PRIVATE_LABELING_SETTING_UNSPECIFIED ·
      1 PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY ·
      2 PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY`,
    "iam.user.v1.AccessTokenType": "0 ACCESS_TOKEN_TYPE_BEARER · 1 ACCESS_TOKEN_TYPE_JWT",
    "iam.user.v1.Gender": `0 GENDER_UNSPECIFIED · 1 GENDER_FEMALE · 2 GENDER_MALE ·
      3 GENDER_DIVERSE`,
    "iam.idp.v1.IDPStylingType": "0 STYLING_TYPE_UNSPECIFIED · 1 STYLING_TYPE_GOOGLE",
    "iam.idp.v1.OIDCMappingField": `0 OIDC_MAPPING_FIELD_UNSPECIFIED ·
      1 OIDC_MAPPING_FIELD_PREFERRED_USERNAME · 2 OIDC_MAPPING_FIELD_EMAIL`,
    "iam.app.v1.OIDCResponseType": `0 OIDC_RESPONSE_TYPE_CODE · 1 OIDC_RESPONSE_TYPE_ID_TOKEN ·
      2 OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN`,
    "iam.app.v1.OIDCGrantType": `0 OIDC_GRANT_TYPE_AUTHORIZATION_CODE ·
      1 OIDC_GRANT_TYPE_IMPLICIT · 2 OIDC_GRANT_TYPE_REFRESH_TOKEN · 3 OIDC_GRANT_TYPE_DEVICE_CODE`,
    "iam.app.v1.OIDCAppType": `0 OIDC_APP_TYPE_WEB · 1 OIDC_APP_TYPE_USER_AGENT ·
      2 OIDC_APP_TYPE_NATIVE`,
    "iam.app.v1.OIDCAuthMethodType": `0 OIDC_AUTH_METHOD_TYPE_BASIC ·
      1 OIDC_AUTH_METHOD_TYPE_POST · 2 OIDC_AUTH_METHOD_TYPE_NONE ·
      3 OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT`,
    "iam.app.v1.OIDCVersion": "0 OIDC_VERSION_1_0",
    "iam.app.v1.OIDCTokenType": "0 OIDC_TOKEN_TYPE_BEARER · 1 OIDC_TOKEN_TYPE_JWT",
    "iam.app.v1.APIAuthMethodType": `0 API_AUTH_METHOD_TYPE_BASIC ·
      1 API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT`,
  };

  /** The values of an enum, or the fields and reserved numbers of a message, as in the table. */
  function members(type: DescMessage | DescEnum): string {
    if (type.kind === "enum") {
      return type.values.map((value) => `${value.number} ${value.name}`).join(" · ");
    }
    const reserved = type.proto.reservedRange.flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => `reserved ${start + index}`),
    );
    return [...type.fields.map(written), ...reserved].join(" · ");
  }

  test("have the names, numbers and types of the contract", () => {
    const declared = types.filter((type) => type.kind === "message" || type.kind === "enum");
    const found = declared.map((type) => [type.typeName, members(type)]);
    expect(Object.fromEntries(found)).toEqual(flat(table));
  });

  test("have a value for what is not said, which is the first of each enum", () => {
    const zeros = types.flatMap((type) => (type.kind === "enum" ? [type.values[0]?.number] : []));
    expect(zeros.length).toBeGreaterThan(10);
    expect(new Set(zeros)).toEqual(new Set([0]));
  });

  test("have the lowerCamelCase of the field names as JSON names", () => {
    const fields = types.flatMap((type) => (type.kind === "message" ? type.fields : []));
    const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    expect(fields.length).toBeGreaterThan(150);
    expect(fields.map((field) => field.jsonName)).toEqual(fields.map(({ name }) => camel(name)));
  });
});
