import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { TestIDPResponse } from "../../gen/iam/management/v1/provider_trial_pb.js";
import { idp } from "../../src/domain/idp.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOIDCProvider } from "./idps.ts";
import { lookupRows } from "./lookups.ts";
import { granted } from "./stored.ts";

// What a trial finds at a provider that answers: test/provider/external-trial.test.ts.

const { addGenericOIDCProvider, addGitHubProvider, addJWTProvider } = ManagementService.method;
const both: readonly DescMethodUnary[] = [
  AdminService.method.testIDP,
  ManagementService.method.testIDP,
];
const notFound = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
} as const;

const nowhere =
  "The URL leads to no allowed address. Its host is unknown, or has a loopback, private or " +
  "special-purpose address; only the operator can allow that (IAM_FETCH_ALLOW).";

type Add = (world: World) => Promise<string>;

/** A trial that ends at its first step, since nobody is allowed to be asked; nothing is written. */
function ends(name: string, step: string, add: Add) {
  return both.map((method) =>
    row(name, method, async (world) => ({
      request: { idpId: await add(world) },
      expected: {
        ok(message, events) {
          const { steps, loginUrl } = message as TestIDPResponse;
          expect(steps.map((one) => [one.name, one.ok, one.found])).toEqual([
            [step, false, nowhere],
          ]);
          expect(steps[0]?.advice).toContain("IAM_FETCH_ALLOW");
          expect([loginUrl, events]).toEqual(["", []]);
        },
      },
    })),
  );
}

const idOf = (added: Parameters<typeof granted>[0]) => {
  return (granted(added) as unknown as { readonly id: string }).id;
};
const options = { providerOptions: { isLinkingAllowed: true } };
const url = "https://127.0.0.1";

runCases("trying an identity provider", [
  ...both.flatMap((method) =>
    lookupRows({
      ...{ method, noun: idp, notFound },
      given: ({ server }, { organization }) =>
        givenOIDCProvider(server, organization, { clientSecret: "secret" }),
      request: (idpId) => ({ idpId }),
      removal: { type: "idp.removed", payload: {} },
      ...(method === both[0] ? { isEverywhere: true } : {}),
    }),
  ),
  ...ends("OpenID Connect from inside", "discovery", async ({ call, unique: name }) => {
    const client = { issuer: url, clientId: "client", clientSecret: "secret" };
    return idOf(await call(addGenericOIDCProvider, { name, ...client, ...options }));
  }),
  ...ends("GitHub from nowhere", "client", async ({ call, unique }) => {
    const client = { clientId: "client", clientSecret: "secret" };
    return idOf(await call(addGitHubProvider, { name: unique, ...client, ...options }));
  }),
  ...ends("JWT with keys inside", "keys", async ({ call, unique: name }) => {
    const jwt = { issuer: url, jwtEndpoint: url, keysEndpoint: `${url}/keys`, headerName: "a" };
    return idOf(await call(addJWTProvider, { name, ...jwt, ...options }));
  }),
]);
