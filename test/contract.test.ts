// Pins the contract in proto/: names, numbers, paths and access. The tables are written out by
// hand, so that a changed .proto fails here. The rules of the fields are in
// contract-rules.test.ts.

import {
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  getOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { describe, expect, test } from "@jest/globals";
import { http } from "../gen/google/api/annotations_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { access } from "../gen/iam/v1/access_pb.js";

const services = [AdminService, ManagementService];
const methods = services.flatMap((service) => service.methods);

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

/** A field as `number name: type`. */
function written(field: DescField): string {
  const label = field.fieldKind === "list" ? "repeated " : "";
  const optional = field.proto.proto3Optional ? "optional " : "";
  return `${field.number} ${field.name}: ${label}${optional}${typeOf(field)}`;
}

describe("methods", () => {
  // method: verb, path and body · permission · "header" if the header counts · project field
  const table: Record<string, string> = {
    AddIAMMember: "post /admin/v1/members * · iam.member.write",
    AddOrg: "post /management/v1/orgs * · org.create",
    AddOrgMember: "post /management/v1/orgs/me/members * · org.member.write · header",
    AddProject: "post /management/v1/projects * · project.create · header",
    AddProjectMember: `post /management/v1/projects/{project_id}/members * ·
      project.member.write · header · project_id`,
    AddOIDCApp: `post /management/v1/projects/{project_id}/apps/oidc * ·
      project.app.write · header · project_id`,
    AddAPIApp: `post /management/v1/projects/{project_id}/apps/api * ·
      project.app.write · header · project_id`,
    AddMachineUser: "post /management/v1/users/machine * · user.write · header",
    AddPersonalAccessToken: "post /management/v1/users/{user_id}/pats * · user.write · header",
    RemovePersonalAccessToken: `delete /management/v1/users/{user_id}/pats/{token_id} ·
      user.write · header`,
  };

  function declared(method: DescMethod): string {
    const { pattern, body } = getOption(method, http);
    const rule = getOption(method, access);
    const route = `${pattern.case} ${pattern.value} ${body}`.trim();
    const header = rule.organizationHeader ? "header" : "";
    const parts = [route, rule.permission, header, rule.projectField, rule.ownerPermission];
    return parts.filter((part) => part !== "").join(" · ");
  }

  test("have the paths and the access of the contract", () => {
    const found = methods.map((method) => [method.name, declared(method)]);
    expect(Object.fromEntries(found)).toEqual(flat(table));
    expect(services.map((service) => service.typeName)).toEqual([
      "iam.admin.v1.AdminService",
      "iam.management.v1.ManagementService",
    ]);
  });

  test("declare their options under the numbers that clients know", () => {
    const numbers = [http, access].map(({ number, extendee }) => [number, extendee.typeName]);
    const on = "google.protobuf.MethodOptions";
    expect(numbers).toEqual([
      [72_295_728, on],
      [50_001, on],
    ]);
  });

  test.each(methods)("$name declares a path and an access that fit its request", (method) => {
    const { pattern } = getOption(method, http);
    const rule = getOption(method, access);
    const stringFields = method.input.fields
      .filter((field) => field.fieldKind === "scalar" && field.scalar === ScalarType.STRING)
      .map((field) => field.name);
    const pathFields = [...(pattern.value ?? "").matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(pattern.value).toMatch(/^(\/([\w-]+|\{\w+\}))+$/);
    expect(stringFields).toEqual(expect.arrayContaining(pathFields));
    expect(rule.permission).not.toBe("");
    if (rule.projectField !== "") expect(stringFields).toContain(rule.projectField);
  });
});

describe("messages and enums", () => {
  const details = "details: iam.v1.ObjectDetails";
  const table: Record<string, string> = {
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
    "iam.v1.ObjectDetails": `1 sequence: uint64 · 2 creation_date: google.protobuf.Timestamp ·
      3 change_date: google.protobuf.Timestamp · 4 resource_owner: string`,
    "iam.v1.LocalizedMessage": "1 key: string · 2 localized_message: string",
    "iam.v1.Access": `1 permission: string · 2 organization_header: bool ·
      3 project_field: string · 4 owner_permission: string`,
    "iam.project.v1.PrivateLabelingSetting": `0 PRIVATE_LABELING_SETTING_UNSPECIFIED ·
      1 PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY ·
      2 PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY`,
    "iam.user.v1.AccessTokenType": "0 ACCESS_TOKEN_TYPE_BEARER · 1 ACCESS_TOKEN_TYPE_JWT",
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

  test("have the lowerCamelCase of the field names as JSON names", () => {
    const fields = types.flatMap((type) => (type.kind === "message" ? type.fields : []));
    const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    expect(fields.length).toBeGreaterThan(70);
    expect(fields.map((field) => field.jsonName)).toEqual(fields.map(({ name }) => camel(name)));
  });
});
