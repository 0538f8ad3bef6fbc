import { expect } from "@jest/globals";
import { AssetService } from "../../gen/iam/asset/v1/asset_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { clientNames } from "../harness/clients.ts";
import { givenOrganization } from "../harness/server.ts";

// The images of label policies: what is taken, what is left of it, and where it is served.

import {
  cleanOf,
  dark,
  denied,
  givenOwner,
  givenPolicy,
  labelOf,
  logo,
  noPolicy,
  pathTo,
  served,
} from "./assets.ts";

const { remove } = AssetService.method;
const { removeOrg, resetLabelPolicyToDefault } = ManagementService.method;

runCases("Remove", [
  row("takes the image away, which nobody is served any more", remove, async (world) => {
    const clean = cleanOf(world);
    const { organization, headers } = await givenPolicy(world, clean);
    return {
      request: logo,
      headers,
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type)).toEqual(["policy.label.image.removed"]);
          expect((await labelOf(world, organization)).logoUrl).toBe("");
          expect(await labelOf(world, organization)).toMatchObject({ primaryColor: "#1f5fbf" });
          const another = { ...world, unique: `${world.unique} other` };
          expect((await served(world, pathTo(clean))).status).toBe(404);
          // It is there again for another policy.
          await givenPolicy(another, clean);
          expect((await served(world, pathTo(clean))).status).toBe(200);
        },
      },
    };
  }),
  row(
    "refuses the image of the instance to who owns an organization",
    remove,
    async (world) => ({
      ...(await givenOwner(world)),
      request: { ...logo, instance: true },
      expected: denied,
    }),
    {
      clients: clientNames.filter((name) => name !== "rest"),
      because: "the path of REST cannot say that it is the image of the instance",
    },
  ),
  row("refuses an image that is not there", remove, async (world) => ({
    request: dark,
    headers: (await givenPolicy(world, cleanOf(world))).headers,
    expected: { code: 5, reason: "IMAGE_NOT_FOUND" },
  })),
  row("refuses an organization without a policy of its own", remove, async ({ server }) => ({
    request: logo,
    headers: { "x-service-orgid": await givenOrganization(server) },
    expected: noPolicy,
  })),
]);

runCases("RemoveOrg", [
  row("takes the images of the organization away", removeOrg, async (world) => {
    const own = cleanOf(world);
    const { headers } = await givenPolicy(world, own);
    return {
      request: {},
      headers,
      expected: {
        async ok() {
          expect((await served(world, pathTo(own))).status).toBe(404);
        },
      },
    };
  }),
]);

runCases("ResetLabelPolicyToDefault", [
  row("takes the images away with the policy", resetLabelPolicyToDefault, async (world) => {
    const own = cleanOf(world);
    const { headers } = await givenPolicy(world, own);
    return {
      request: {},
      headers,
      expected: {
        async ok() {
          expect((await served(world, pathTo(own))).status).toBe(404);
        },
      },
    };
  }),
]);
