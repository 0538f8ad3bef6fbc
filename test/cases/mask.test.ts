import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { OIDCGrantType } from "../../gen/iam/app/v1/app_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { operations } from "../access/operations.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { givenAppOf, givenProjectOf, oidcConfig, someClients } from "./given.ts";
import { givenOIDCProvider } from "./idps.ts";
import { requestOn } from "./made/requests.ts";
import { type Masked, maskRows } from "./masks.ts";

// A mask names what an update changes: all else stays as it is, whatever the request says of it.

const admin = AdminService.method;
const management = ManagementService.method;

const user = { read: management.getUserByID, reading: ({ userId: id = "" }) => ({ id }) };
const labels = { primaryColor: "#0a7a5c", themeMode: "THEME_MODE_DARK" };
const links = { tosLink: "https://www.example.com/terms", supportEmail: "help@example.com" };
const logins = { allowRegister: true, hidePasswordReset: true, sessionLifetime: "28800s" };

const masked: readonly Masked[] = [
  {
    ...{ method: management.updateProject, read: management.getProjectByID, at: ["project"] },
    others: {
      ...{ projectRoleAssertion: true, projectRoleCheck: true, hasProjectCheck: true },
      privateLabelingSetting: "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
    },
  },
  {
    ...{ method: management.updateProjectRole, read: management.listProjectRoles },
    reading: ({ projectId = "" }) => ({ projectId }),
    at: ["result", "0"],
    others: { displayName: "Author", group: "Writers" },
  },
  {
    ...{ method: GroupService.method.updateGroup, read: GroupService.method.getGroupByID },
    ...{ at: ["group"], others: { description: "Those who publish" } },
  },
  {
    ...{ method: management.updateOIDCAppConfig, read: management.getAppByID },
    at: ["app", "oidcConfig"],
    others: {
      ...{ devMode: true, idTokenRoleAssertion: true, skipNativeAppSuccessPage: true },
      redirectUris: ["https://shop.example.com/1", "https://shop.example.com/2"],
      ...{ clockSkew: "3s", backChannelLogoutUri: "https://shop.example.com/logout" },
    },
  },
  {
    ...{ method: management.updateAction, read: management.getAction, at: ["action"] },
    others: { script: "3", timeout: "3s", allowedToFail: true },
  },
  {
    ...{ method: management.updateAPIAppConfig, read: management.getAppByID },
    at: ["app", "apiConfig"],
    others: { authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
  },
  {
    ...{ method: admin.updateIDPOIDCConfig, read: admin.getIDPByID },
    reading: ({ idpId: id = "" }) => ({ id }),
    at: ["idp", "oidcConfig"],
    others: {
      ...{ clientId: "other", scopes: ["email", "openid"] },
      usernameMapping: "OIDC_MAPPING_FIELD_EMAIL",
    },
  },
  {
    ...{ ...user, method: management.updateHumanProfile, at: ["user", "human", "profile"] },
    others: { nickName: "Grace", displayName: "G. H.", gender: "GENDER_DIVERSE" },
  },
  {
    ...{ ...user, method: management.updateMachine, at: ["user", "machine"] },
    others: { description: "Moves boxes", accessTokenType: "ACCESS_TOKEN_TYPE_JWT" },
  },
  ...[
    { method: management.updateCustomLabelPolicy, read: management.getLabelPolicy, others: labels },
    { method: admin.updateLabelPolicy, read: admin.getLabelPolicy, others: labels },
    {
      ...{ method: management.updateCustomPrivacyPolicy, read: management.getPrivacyPolicy },
      others: links,
    },
    { method: admin.updatePrivacyPolicy, read: admin.getPrivacyPolicy, others: links },
    { method: management.updateCustomLoginPolicy, read: management.getLoginPolicy, others: logins },
    { method: admin.updateLoginPolicy, read: admin.getLoginPolicy, others: logins },
  ].map((one) => ({ ...one, at: ["policy"] })),
];

const { updateProject, updateOIDCAppConfig, updateCustomPrivacyPolicy } = management;
const { updateCustomLabelPolicy, updateCustomLoginPolicy } = management;
const { updateIDPOIDCConfig } = admin;
const paths = (...names: readonly string[]) => ({ updateMask: { paths: [...names] } });

runCases("masks of fields", [
  ...masked.flatMap(maskRows),

  row(
    "a mask changes several fields, and gives one that is left out its default",
    updateProject,
    async (world) => {
      const { server, unique } = world;
      const id = await givenProjectOf(server, server.admin.organization, {
        ...{ name: unique, projectRoleCheck: true, hasProjectCheck: true },
      });
      const mask = paths("name", "has_project_check");
      return {
        request: { id, name: `${unique} anew`, ...mask },
        expected: {
          ok: (_message, [event]) =>
            expect(JSON.parse(event!.payload)).toMatchObject({
              ...{ name: `${unique} anew`, projectRoleCheck: true, hasProjectCheck: false },
            }),
        },
      };
    },
  ),
  row("a mask leaves wrong values of others out of account", updateProject, ({ project: id }) => ({
    request: { id, name: "a".repeat(201), projectRoleCheck: true, ...paths("project_role_check") },
    expected: {
      ok: (_message, [event]) =>
        expect(JSON.parse(event!.payload)).toMatchObject({ projectRoleCheck: true }),
    },
  })),
  row("a mask does not spare what it names from its rules", updateProject, ({ project: id }) => ({
    request: { id, name: " ", ...paths("name", "project_role_check") },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
  })),
  row("a mask and what it names are refused together", updateProject, ({ project: id }) => ({
    request: { id, ...paths("name", "nothing") },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["update_mask", "name"] },
  })),
  row("a mask of what is so already changes nothing", updateProject, ({ project: id }) => ({
    request: { id, ...paths("has_project_check") },
    expected: { code: 9, reason: "NOTHING_CHANGED" },
  })),
  row("fields are judged together as they will be", updateOIDCAppConfig, async (world) => ({
    request: {
      ...(await appIn(world)),
      grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_IMPLICIT],
      ...paths("grant_types"),
    },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["response_types"] },
  })),
  row("colours are judged together as they will be", updateCustomLabelPolicy, async (world) => {
    await requestOn(world, operations.UpdateCustomLabelPolicy!);
    return {
      request: { primaryColor: "#f4f7f9", ...paths("primary_color") },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["primary_color"] },
    };
  }),
  row("a link needs its text as it will be", updateCustomPrivacyPolicy, async (world) => {
    await requestOn(world, operations.UpdateCustomPrivacyPolicy!);
    return {
      request: { customLink: "https://example.com", ...paths("custom_link") },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["custom_link"] },
    };
  }),
  row("domains need registration as it will be", updateCustomLoginPolicy, async (world) => {
    await requestOn(world, operations.UpdateCustomLoginPolicy!);
    return {
      request: {
        allowRegister: true,
        registerDomains: ["example.com"],
        ...paths("register_domains"),
      },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["register_domains"] },
    };
  }),
  row("a secret stays where the mask does not name it", updateIDPOIDCConfig, async (world) => {
    const { server } = world;
    const idpId = await givenOIDCProvider(server, server.admin.organization, {
      clientSecret: "kept",
    });
    return {
      request: { idpId, clientSecret: "given", scopes: ["email"], ...paths("scopes") },
      expected: {
        ok: (_message, [event]) =>
          expect(JSON.parse(event!.payload)).not.toHaveProperty("clientSecret"),
      },
    };
  }),
  ...["a mask", "a sequence"].map((what) =>
    row(
      `${what} tells nothing of a project elsewhere`,
      updateOIDCAppConfig,
      async (world) => {
        const { server } = world;
        const organization = await givenOrganization(server);
        const project = await givenProject(server, organization);
        const appId = await givenAppOf(server, organization, { projectId: project }, oidcConfig());
        const broken = {
          grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_IMPLICIT],
          ...paths("grant_types"),
        };
        return {
          request: {
            ...{ projectId: project, appId },
            ...(what === "a mask" ? broken : { expectedSequence: 1n }),
          },
          expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
        };
      },
      someClients,
    ),
  ),
]);

async function appIn({ server, project: projectId }: World) {
  const { organization } = server.admin;
  return { projectId, appId: await givenAppOf(server, organization, { projectId }, oidcConfig()) };
}
