import { describe, expect, test } from "@jest/globals";
import { aliasOfName, ownScope, ownTarget, withAliases } from "../src/alias.ts";

describe("a target of a request", () => {
  const auth = "v1.AuthService";
  test.each([
    ["/zitadel.admin.v1.AdminService/AddJWTIDP", "/iam.admin.v1.AdminService/AddJWTIDP"],
    ["/zitadel.user.v2beta.UserService/VerifyPhone", "/iam.user.v2.UserService/VerifyPhone"],
    [`/zitadel.auth.${auth}/ListMyZitadelPermissions`, `/iam.auth.${auth}/ListMyIAMPermissions`],
    ["http://a:80/zitadel.admin.v1.AdminService/A?b", "/iam.admin.v1.AdminService/A?b"],
    ["/auth/v1/permissions/zitadel/me/_search", "/auth/v1/permissions/iam/me/_search"],
  ])("%s is %s", (target, own) => {
    expect(ownTarget(target, "zitadel")).toBe(own);
  });

  test.each([
    "",
    "*",
    "/",
    "/iam.admin.v1.AdminService/AddJWTIDP",
    "/zitadel",
    "/zitadelx.admin.v1.AdminService/AddJWTIDP",
    "/x/zitadel.admin.v1.AdminService/AddJWTIDP",
    "/ZITADEL.admin.v1.AdminService/AddJWTIDP",
    "/management/v1/projects/zitadel.a/ListMyZitadelPermissions",
    `/iam.auth.${auth}/ListMyZitadelPermissions`,
    "http://zitadel.example.com/healthz",
  ])("%j stays as it is", (target) => {
    expect(ownTarget(target, "zitadel")).toBe(target);
  });
});

test.each([
  ["iam.user.v2", "zitadel.user.v2"],
  [".iam.v1.ListQuery", ".zitadel.v1.ListQuery"],
  ["iam/v1/search.proto", "zitadel/v1/search.proto"],
  [".iam.auth.v1.ListMyIAMPermissionsRequest", ".zitadel.auth.v1.ListMyZitadelPermissionsRequest"],
  ["ListMyIAMPermissions", "ListMyZitadelPermissions"],
  ["iam", "iam"],
  ["iamIt", "iamIt"],
  ["google.iam.v1", "google.iam.v1"],
  ["AddIAMMember", "AddIAMMember"],
])("the name %s is %s", (name, theirs) => {
  expect(aliasOfName(name, "zitadel")).toBe(theirs);
});

test.each([
  ["urn:zitadel:iam:org:project:id:zitadel:aud", "urn:iam:org:project:id:iam:aud"],
  ["urn:zitadel:iam:org:project:id:a:aud", "urn:iam:org:project:id:a:aud"],
  ["urn:zitadel:iam:org:project:role:zitadel", "urn:iam:org:project:role:zitadel"],
  ["urn:zitadel:iam:org:projects:roles", "urn:iam:org:projects:roles"],
  ["urn:iam:org:project:id:zitadel:aud", "urn:iam:org:project:id:zitadel:aud"],
  ["urn:zitadel:other", "urn:zitadel:other"],
  ["openid", "openid"],
])("the scope %s is %s", (scope, own) => {
  expect(ownScope(scope, "zitadel")).toBe(own);
});

test("claims of ours have both names, and no others", () => {
  const claims = { sub: "a", "urn:iam:user:metadata": { b: "c" }, "urn:other": 1 };
  expect(withAliases(claims, undefined)).toBe(claims);
  const both = { ...claims, "urn:zitadel:iam:user:metadata": { b: "c" } };
  expect(withAliases(claims, "zitadel")).toEqual(both);
});
