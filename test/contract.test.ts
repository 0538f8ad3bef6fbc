// Pins the contract in proto/: paths and access. The table is written out by hand, so that a
// changed .proto fails here. The messages are in contract-messages.test.ts, the rules of their
// fields in contract-rules.test.ts.

import { type DescMethod, getOption, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { http } from "../gen/google/api/annotations_pb.js";
import { AccountService } from "../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../gen/iam/user/v2/user_service_pb.js";
import { access } from "../gen/iam/v1/access_pb.js";

const services = [AdminService, ManagementService, UserService, EventService, AccountService];
const methods = services.flatMap((service) => service.methods);
/** What people call who come with a code instead of a token. */
const open = methods.filter(({ parent }) => parent === AccountService);

/** A table whose entries are freed of line breaks. */
function flat(table: Record<string, string>): Record<string, string> {
  const rows = Object.entries(table).map(([name, row]) => [name, row.replace(/\s+/g, " ")]);
  return Object.fromEntries(rows);
}

describe("methods", () => {
  // method: verb, path and body · permission · "header" if the header counts · project field ·
  // permission of the owner · "deprecated"
  const app = "/management/v1/projects/{project_id}/apps/{app_id}";
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
    RemoveIAMMember: "delete /admin/v1/members/{user_id} · iam.member.delete",
    RemoveIDP: "delete /admin/v1/idps/{idp_id} · iam.idp.write",
    GetIDPByID: "get /admin/v1/idps/{id} · iam.idp.read",
    ListIDPs: "post /admin/v1/idps/_search * · iam.idp.read",
    ListOrgs: "post /admin/v1/orgs/_search * · iam.read",
    ListEvents: "post /admin/v1/events/_search * · events.read",
    RemoveOrgMember: "delete /management/v1/orgs/me/members/{user_id} · org.member.delete · header",
    RemoveProjectMember: `delete /management/v1/projects/{project_id}/members/{user_id} ·
      project.member.delete · header · project_id`,
    GetProjectByID: "get /management/v1/projects/{id} · project.read · header",
    ListProjects: "post /management/v1/projects/_search * · project.read · header",
    DeactivateProject: "post /management/v1/projects/{id}/_deactivate * · project.write · header",
    ReactivateProject: "post /management/v1/projects/{id}/_reactivate * · project.write · header",
    RemoveProject: "delete /management/v1/projects/{id} · project.delete · header",
    GetAppByID: `get /management/v1/projects/{project_id}/apps/{app_id} · project.app.read ·
      header · project_id`,
    ListApps: `post /management/v1/projects/{project_id}/apps/_search * · project.app.read ·
      header · project_id`,
    DeactivateApp: `post /management/v1/projects/{project_id}/apps/{app_id}/_deactivate * ·
      project.app.write · header · project_id`,
    ReactivateApp: `post /management/v1/projects/{project_id}/apps/{app_id}/_reactivate * ·
      project.app.write · header · project_id`,
    RemoveApp: `delete /management/v1/projects/{project_id}/apps/{app_id} · project.app.delete ·
      header · project_id`,
    RegenerateOIDCClientSecret: `post ${app}/oidc_config/_generate_client_secret * ·
      project.app.write · header · project_id`,
    RegenerateAPIClientSecret: `post ${app}/api_config/_generate_client_secret * ·
      project.app.write · header · project_id`,
    GetUserByID: "get /management/v1/users/{id} · user.read · header",
    ListUsers: "post /management/v1/users/_search * · user.read · header",
    DeactivateUser: "post /management/v1/users/{id}/_deactivate * · user.write · header",
    ReactivateUser: "post /management/v1/users/{id}/_reactivate * · user.write · header",
    RemoveUser: "delete /management/v1/users/{id} · user.delete · header",
    GetOrgIDPByID: "get /management/v1/idps/{id} · org.idp.read · header",
    ListOrgIDPs: "post /management/v1/idps/_search * · org.idp.read · header",
    RemoveOrgIDP: "delete /management/v1/idps/{idp_id} · org.idp.write · header",
    GetAction: "get /management/v1/actions/{id} · org.action.read · header",
    ListActions: "post /management/v1/actions/_search * · org.action.read · header",
    DeactivateAction: "post /management/v1/actions/{id}/_deactivate * · org.action.write · header",
    ReactivateAction: "post /management/v1/actions/{id}/_reactivate * · org.action.write · header",
    DeleteAction: "delete /management/v1/actions/{id} * · org.action.delete · header",
    WatchEvents: "no path · events.read · org.event.watch",
  };

  function declared(method: DescMethod): string {
    const { pattern, body } = getOption(method, http);
    const rule = getOption(method, access);
    const path = `${pattern.case} ${pattern.value} ${body}`.trim();
    const route = pattern.case === undefined ? "no path" : path;
    const header = rule.organizationHeader ? "header" : "";
    const { permission, projectField, ownerPermission } = rule;
    const deprecated = method.deprecated ? "deprecated" : "";
    const parts = [route, permission, header, projectField, ownerPermission, deprecated];
    return parts.filter((part) => part !== "").join(" · ");
  }

  test("have the paths and the access of the contract", () => {
    const rows = methods.filter((method) => !open.includes(method));
    const found = rows.map((method) => [method.name, declared(method)]);
    expect(found).toHaveLength(Object.keys(table).length);
    expect(Object.fromEntries(found)).toEqual(flat(table));
    expect(services.map((service) => service.typeName)).toEqual([
      "iam.admin.v1.AdminService",
      "iam.management.v1.ManagementService",
      "iam.user.v2.UserService",
      "iam.event.v1.EventService",
      "iam.account.v1.AccountService",
    ]);
  });

  test("ask for no token where a code lets people in, and nowhere else", () => {
    expect(open.map((method) => [method.name, declared(method)])).toEqual([
      ["CheckInitialization", "no path · public"],
      ["Initialize", "no path · public"],
      ["BeginPasskey", "no path · public"],
      ["FinishPasskey", "no path · public"],
      ["VerifyPhone", "no path · public"],
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

  test("have a path but for streams, which JSON over REST has no form for, and for people", () => {
    const without = methods.filter((method) => getOption(method, http).pattern.case === undefined);
    const streams = methods.filter(({ methodKind }) => methodKind !== "unary");
    expect(new Set(without)).toEqual(new Set([...streams, ...open]));
  });

  const routed = methods.filter(
    (method) => method.methodKind === "unary" && !open.includes(method),
  );
  test.each(routed)("$name declares a path and an access that fit its request", (method) => {
    const { pattern } = getOption(method, http);
    const rule = getOption(method, access);
    const stringFields = method.input.fields
      .filter((field) => field.fieldKind === "scalar" && field.scalar === ScalarType.STRING)
      .map((field) => field.name);
    const pathFields = [...(pattern.value ?? "").matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(pattern.value).toMatch(/^(\/([\w-]+|\{\w+\}))+$/);
    expect(stringFields).toEqual(expect.arrayContaining(pathFields));
    expect(rule.permission).not.toBe("");
    expect(["", ...stringFields]).toContain(rule.projectField);
  });
});
