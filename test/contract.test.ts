// Pins the contract in proto/: paths and access. The table is written out by hand, so that a
// changed .proto fails here. The messages are in contract-messages.test.ts, the rules of their
// fields in contract-rules.test.ts.

import { type DescMethod, getOption, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { http } from "../gen/google/api/annotations_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../gen/iam/user/v2/user_service_pb.js";
import { access } from "../gen/iam/v1/access_pb.js";

const services = [AdminService, ManagementService, UserService];
const methods = services.flatMap((service) => service.methods);

/** A table whose entries are freed of line breaks. */
function flat(table: Record<string, string>): Record<string, string> {
  const rows = Object.entries(table).map(([name, row]) => [name, row.replace(/\s+/g, " ")]);
  return Object.fromEntries(rows);
}

describe("methods", () => {
  // method: verb, path and body · permission · "header" if the header counts · project field ·
  // permission of the owner · "deprecated"
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
    AddJWTIDP: "post /admin/v1/idps/jwt * · iam.idp.write · deprecated",
    AddOrgOIDCIDP: "post /management/v1/idps/oidc * · org.idp.write · header · deprecated",
    UpdateIDPOIDCConfig: `put /admin/v1/idps/{idp_id}/oidc_config * · iam.idp.write ·
      org.idp.write · deprecated`,
    ImportHumanUser: "post /management/v1/users/human/_import * · user.write · header",
    CreateAction: "post /management/v1/actions * · org.action.write · header",
    AddSAMLApp: `post /management/v1/projects/{project_id}/apps/saml * ·
      project.app.write · header · project_id`,
    SetPhone: "post /v2/users/{user_id}/phone * · authenticated",
    ResendPhoneCode: "post /v2/users/{user_id}/phone/resend * · authenticated",
    VerifyPhone: "post /v2/users/{user_id}/phone/verify * · authenticated",
    RemovePhone: "delete /v2/users/{user_id}/phone * · authenticated",
  };

  function declared(method: DescMethod): string {
    const { pattern, body } = getOption(method, http);
    const rule = getOption(method, access);
    const route = `${pattern.case} ${pattern.value} ${body}`.trim();
    const header = rule.organizationHeader ? "header" : "";
    const { permission, projectField, ownerPermission } = rule;
    const deprecated = method.deprecated ? "deprecated" : "";
    const parts = [route, permission, header, projectField, ownerPermission, deprecated];
    return parts.filter((part) => part !== "").join(" · ");
  }

  test("have the paths and the access of the contract", () => {
    const found = methods.map((method) => [method.name, declared(method)]);
    expect(Object.fromEntries(found)).toEqual(flat(table));
    expect(services.map((service) => service.typeName)).toEqual([
      "iam.admin.v1.AdminService",
      "iam.management.v1.ManagementService",
      "iam.user.v2.UserService",
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
