import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { on } from "./orgs.ts";
import { givenDefaults, givenPrivacy, invalid, refusals } from "./policies.ts";

const {
  getPrivacyPolicy,
  addCustomPrivacyPolicy,
  updateCustomPrivacyPolicy,
  resetPrivacyPolicyToDefault,
} = ManagementService.method;
const admin = AdminService.method;

const all = {
  tosLink: "https://example.com/terms",
  privacyLink: "https://example.com/privacy",
  helpLink: "https://example.com/help",
  docsLink: "https://example.com/docs",
  customLink: "https://example.com/status",
  customLinkText: "Status",
  supportEmail: "help@example.com",
};
const long = (characters: number) => "https://example.com/".padEnd(characters, "a");

runCases("GetPrivacyPolicy", [
  row("reads the default where there is no other", getPrivacyPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: {
      ok: ({ policy }) =>
        expect(policy).toMatchObject({ isDefault: true, tosLink: "", supportEmail: "" }),
    },
  })),
  row("reads the organization's own", getPrivacyPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenPrivacy(server, all)),
    expected: { ok: ({ policy }) => expect(policy).toMatchObject({ ...all, isDefault: false }) },
  })),
]);

runCases("AddCustomPrivacyPolicy", [
  row("gives the organization one", addCustomPrivacyPolicy, async ({ server }) => {
    const owner = await givenOrganization(server);
    return {
      request: all,
      headers: on(owner),
      expected: {
        ok(_answer, events) {
          const stream = `privacyPolicy-${owner}`;
          expect(events).toMatchObject([{ stream, type: "policy.privacy.added", owner }]);
          expect(JSON.parse(events[0]?.payload ?? "")).toEqual(all);
        },
      },
    };
  }),
  row("takes a link of 500 characters", addCustomPrivacyPolicy, async ({ server }) => ({
    request: { tosLink: long(500) },
    headers: on(await givenOrganization(server)),
    expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
  })),
  row("refuses a second one", addCustomPrivacyPolicy, async ({ server }) => ({
    request: all,
    headers: on(await givenPrivacy(server)),
    expected: refusals.exists,
  })),
  ...[long(501), "http://example.com", "javascript:alert(1)", "example.com"].map((link) =>
    row(`refuses the link ${link.slice(0, 25)}`, addCustomPrivacyPolicy, async ({ server }) => ({
      request: { privacyLink: link, customLink: link, customLinkText: "x" },
      headers: on(await givenOrganization(server)),
      expected: invalid("privacy_link", "custom_link"),
    })),
  ),
  row("refuses an address that is none", addCustomPrivacyPolicy, async ({ server }) => ({
    request: { supportEmail: "help" },
    headers: on(await givenOrganization(server)),
    expected: invalid("support_email"),
  })),
  row("refuses a link without its text", addCustomPrivacyPolicy, async ({ server }) => ({
    request: { customLink: all.customLink },
    headers: on(await givenOrganization(server)),
    expected: invalid("custom_link"),
  })),
  row("refuses a text without its link", addCustomPrivacyPolicy, async ({ server }) => ({
    request: { customLinkText: "Status" },
    headers: on(await givenOrganization(server)),
    expected: invalid("custom_link_text"),
  })),
  row("refuses a text of two lines", addCustomPrivacyPolicy, async ({ server }) => ({
    request: { customLink: all.customLink, customLinkText: "a\nb" },
    headers: on(await givenOrganization(server)),
    expected: invalid("custom_link_text"),
  })),
]);

runCases("UpdateCustomPrivacyPolicy", [
  row("replaces all of it", updateCustomPrivacyPolicy, async ({ server }) => ({
    request: { helpLink: all.helpLink },
    headers: on(await givenPrivacy(server, all)),
    expected: {
      ok(_answer, events) {
        const { tosLink, helpLink } = JSON.parse(events[0]?.payload ?? "");
        expect([tosLink, helpLink]).toEqual(["", all.helpLink]);
      },
    },
  })),
  row("refuses what it says already", updateCustomPrivacyPolicy, async ({ server }) => ({
    request: all,
    headers: on(await givenPrivacy(server, all)),
    expected: refusals.unchanged,
  })),
  row("refuses where there is none", updateCustomPrivacyPolicy, async ({ server }) => ({
    request: all,
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
]);

runCases("ResetPrivacyPolicyToDefault", [
  row("leaves the default", resetPrivacyPolicyToDefault, async ({ server }) => ({
    request: {},
    headers: on(await givenPrivacy(server)),
    expected: {
      ok: (_answer, events) => expect(events).toMatchObject([{ type: "policy.privacy.removed" }]),
    },
  })),
  row("refuses where there is none", resetPrivacyPolicyToDefault, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
]);

runCases("the privacy policy of the instance", [
  row("is read", admin.getPrivacyPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: {},
      expected: {
        ok: ({ policy }) => expect(policy).toMatchObject({ isDefault: true, tosLink: "" }),
      },
    };
  }),
  row("is replaced", admin.updatePrivacyPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: all,
      expected: {
        ok: (_answer, events) =>
          expect(events).toMatchObject([
            { stream: "privacyPolicy-1", type: "policy.privacy.changed" },
          ]),
      },
    };
  }),
  row("is not replaced by the same", admin.updatePrivacyPolicy, async ({ server }) => {
    await givenDefaults(server);
    return { request: {}, expected: refusals.unchanged };
  }),
  row("keeps the same rules", admin.updatePrivacyPolicy, () => ({
    request: { docsLink: "ftp://example.com", supportEmail: "x", customLinkText: "y" },
    expected: invalid("support_email", "docs_link", "custom_link_text"),
  })),
]);
