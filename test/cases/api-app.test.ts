import { expect } from "@jest/globals";
import { APIAuthMethodType } from "../../gen/iam/app/v1/app_pb.js";
import type { AddAPIAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { apiRefused, apiStored } from "./apps.ts";
import { granted } from "./stored.ts";

const { addAPIApp } = ManagementService.method;
const { API_AUTH_METHOD_TYPE_BASIC, API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT } = APIAuthMethodType;
const undefinedNumber = Number("2") as APIAuthMethodType;

runCases("AddAPIApp", [
  apiStored("stores the default method basic", {}, "BASIC"),
  apiStored("stores basic", { authMethodType: API_AUTH_METHOD_TYPE_BASIC }, "BASIC"),
  apiStored(
    "stores private key JWT",
    { authMethodType: API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT },
    "PRIVATE_KEY_JWT",
  ),
  secretOf("basic", API_AUTH_METHOD_TYPE_BASIC, /^[\w-]{43}$/),
  secretOf("private key JWT", API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT, /^$/),

  apiStored("takes a name of 200 characters", { name: "n".repeat(200) }),
  apiStored("counts an emoji as one character of a name", { name: "😀".repeat(200) }),
  apiRefused("refuses a name of white space", { name: " \t\n\u00a0\u2003" }, ["name"]),
  apiRefused("refuses a name of invisible characters", { name: "\u200b\u3164\ufeff" }, ["name"]),
  apiRefused("refuses everything wrong at once", { name: "", authMethodType: undefinedNumber }, [
    "name",
    "auth_method_type",
  ]),

  row("gives every application ids and a secret of its own", addAPIApp, async (world) => {
    const { project, unique } = world;
    const before = { projectId: project, name: `${unique} before` };
    const first = granted<AddAPIAppResponse>(await world.call(addAPIApp, before));
    return {
      request: { projectId: project, name: unique },
      expected: {
        ok({ appId, clientId, clientSecret }) {
          const ids = [appId, clientId, first.appId, first.clientId];
          expect(new Set([...ids, clientSecret, first.clientSecret]).size).toBe(6);
        },
      },
    };
  }),
]);

/** The log holds the hash of the secret and never itself. */
function secretOf(title: string, authMethodType: APIAuthMethodType, form: RegExp) {
  return row(`answers the secret that ${title} calls for`, addAPIApp, (world) => ({
    request: { projectId: world.project, name: world.unique, authMethodType },
    expected: {
      ok({ clientSecret }, events) {
        expect(clientSecret).toMatch(form);
        const [, config] = events.map(({ payload }) => payload);
        const settings = JSON.parse(config!) as object;
        expect("clientSecretHash" in settings).toBe(clientSecret !== "");
        expect(Object.values(settings)).not.toContain(clientSecret);
      },
    },
  }));
}
