import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { ThemeMode } from "../../gen/iam/policy/v1/label_policy_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { on } from "./orgs.ts";
import { givenDefaults, givenLabel, invalid, refusals } from "./policies.ts";
import { fact } from "./stored.ts";

const { getLabelPolicy, addCustomLabelPolicy, updateCustomLabelPolicy, resetLabelPolicyToDefault } =
  ManagementService.method;
const admin = AdminService.method;

const atFirst = {
  ...{ primaryColor: "#1f5fbf", warnColor: "#a8241b" },
  ...{ backgroundColor: "#ffffff", fontColor: "#1b2430" },
  ...{ primaryColorDark: "#9cc2ff", warnColorDark: "#ffb3ab" },
  ...{ backgroundColorDark: "#1b212a", fontColorDark: "#e8ecf2" },
};

runCases("GetLabelPolicy", [
  row("reads the default where there is no other", getLabelPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: {
      ok({ policy, isDefault }) {
        expect(policy).toMatchObject({ ...atFirst, isDefault: true, themeMode: ThemeMode.AUTO });
        expect(isDefault).toBe(true);
      },
    },
  })),
  row("reads the organization's own", getLabelPolicy, async ({ server }) => {
    const owner = await givenLabel(server, { primaryColor: "#0b57d0", themeMode: "DARK" });
    return {
      request: {},
      headers: on(owner),
      expected: {
        ok({ policy, isDefault }) {
          expect(policy).toMatchObject({
            ...{ ...atFirst, primaryColor: "#0b57d0" },
            ...{ isDefault: false, themeMode: ThemeMode.DARK },
          });
          expect(isDefault).toBe(false);
          expect(policy?.details?.resourceOwner).toBe(owner);
        },
      },
    };
  }),
]);

runCases("AddCustomLabelPolicy", [
  row("gives the organization one, in lower case", addCustomLabelPolicy, async ({ server }) => {
    const owner = await givenOrganization(server);
    return {
      request: { primaryColor: "#0B57D0", themeMode: ThemeMode.LIGHT },
      headers: on(owner),
      expected: {
        ok({ details }, events) {
          const stream = `labelPolicy-${owner}`;
          const actor = server.admin.userId;
          const payload = { ...atFirst, primaryColor: "#0b57d0", themeMode: "LIGHT" };
          expect(events.map(fact)).toEqual([
            {
              ...{ stream, version: 1, type: "policy.label.added", owner, actor },
              payload,
            },
          ]);
          expect(details).toMatchObject({ resourceOwner: owner });
          expect(details?.sequence).toBe(events[0]?.position);
        },
      },
    };
  }),
  row("refuses a second one", addCustomLabelPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenLabel(server)),
    expected: refusals.exists,
  })),
  ...["red", "#12345", "#1234567", "1f5fbff", "#1f5fbg"].map((colour) =>
    row(`refuses the colour ${colour}`, addCustomLabelPolicy, async ({ server }) => ({
      request: { warnColor: colour },
      headers: on(await givenOrganization(server)),
      expected: invalid("warn_color"),
    })),
  ),
  row(
    "names the nearest colour that can be read",
    addCustomLabelPolicy,
    async ({ server }) => ({
      request: { fontColor: "#777777" },
      headers: on(await givenOrganization(server)),
      expected: {
        ...invalid("font_color"),
        message:
          "font_color: has a contrast of 4.47 with background_color (#ffffff), and needs 4.5: " +
          "the nearest colour that has it is #767676",
      },
    }),
    { clients: ["grpc"], because: "fields are named as each form has them" },
  ),
  row("looks at all pairs of both themes", addCustomLabelPolicy, async ({ server }) => ({
    request: { backgroundColor: "#888888", backgroundColorDark: "#888888" },
    headers: on(await givenOrganization(server)),
    expected: invalid(
      ...["font_color", "primary_color", "warn_color"],
      ...["font_color_dark", "primary_color_dark", "warn_color_dark"],
    ),
  })),
  row("refuses what would have no effect", addCustomLabelPolicy, async ({ server }) => ({
    request: { hideLoginNameSuffix: true, disableWatermark: true },
    headers: on(await givenOrganization(server)),
    expected: invalid("hide_login_name_suffix", "disable_watermark"),
  })),
]);

runCases("UpdateCustomLabelPolicy", [
  row("replaces all of it", updateCustomLabelPolicy, async ({ server }) => {
    const owner = await givenLabel(server, { primaryColor: "#0b57d0", themeMode: "DARK" });
    return {
      request: { fontColor: "#000000" },
      headers: on(owner),
      expected: {
        ok({ details }, events) {
          expect(events.map(({ type }) => type)).toEqual(["policy.label.changed"]);
          expect(JSON.parse(events[0]?.payload ?? "")).toMatchObject({
            ...{ ...atFirst, fontColor: "#000000" },
          });
          expect(details?.changeDate).not.toEqual(details?.creationDate);
        },
      },
    };
  }),
  row("refuses what it says already", updateCustomLabelPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenLabel(server)),
    expected: refusals.unchanged,
  })),
  row("refuses where there is none", updateCustomLabelPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
]);

runCases("ResetLabelPolicyToDefault", [
  row("leaves the default, and room for another", resetLabelPolicyToDefault, async (world) => {
    const owner = await givenLabel(world.server);
    return {
      request: {},
      headers: on(owner),
      expected: {
        ok: (_answer, events) =>
          expect(events.map(({ type }) => type)).toEqual(["policy.label.removed"]),
      },
    };
  }),
  row("refuses where there is none", resetLabelPolicyToDefault, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
]);

runCases("the label policy of the instance", [
  row("is read", admin.getLabelPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: {},
      expected: {
        ok: ({ policy }) => expect(policy).toMatchObject({ ...atFirst, isDefault: true }),
      },
    };
  }),
  row("is replaced", admin.updateLabelPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: { primaryColor: "#0b57d0" },
      expected: {
        ok({ details }, events) {
          const owner = server.admin.organization;
          const stream = "labelPolicy-1";
          expect(events).toMatchObject([{ stream, type: "policy.label.changed", owner }]);
          expect(details?.resourceOwner).toBe(owner);
        },
      },
    };
  }),
  row("is not replaced by the same", admin.updateLabelPolicy, async ({ server }) => {
    await givenDefaults(server);
    return { request: {}, expected: refusals.unchanged };
  }),
  row("keeps the same rules", admin.updateLabelPolicy, () => ({
    request: { fontColor: "#fefefe", hideLoginNameSuffix: true, warnColor: "x" },
    expected: invalid("warn_color", "font_color", "hide_login_name_suffix"),
  })),
]);
