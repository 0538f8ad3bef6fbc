import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { givenUser } from "../harness/server.ts";
import { comersOf, isIn } from "./comers.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { foreignClient } from "./foreign.ts";
import { givenRuled } from "./policies.ts";

let parties: ExternalParties;

beforeAll(async () => {
  parties = await startExternal();
});
afterAll(() => parties.close());

test.each([
  ["deactivated", "POST", "/management/v1/orgs/me/_deactivate"],
  ["removed", "DELETE", "/management/v1/orgs/me"],
])("a provider of all in one organization's hands: its maker's is %s", async (_, verb, path) => {
  const { organization: home } = await givenRuled(parties);
  const scope = { level: "instance" } as const;
  const { token } = await givenUser(parties.server, home, [{ scope, roles: ["IAM_OWNER"] }]);
  const idpId = await givenProviderOfAll(token);
  const ruled = await givenRuled(parties, { allowExternalIdp: true });
  const { organization } = ruled;
  await parties.call("POST", "/management/v1/policies/login/idps", { idpId }, organization);
  const app = await ruled.givenApp();
  const comers = comersOf(parties);
  const place = { ...ruled, app, idpId };
  const person = await comers.linked(place);
  await parties.call(verb, path, verb === "POST" ? {} : undefined, home);
  expect(isIn((await comers.come(place, {}, person.sub)).page)).toBe(true);
});

/** A provider that the holder of a token adds for all organizations. */
async function givenProviderOfAll(token: string): Promise<string> {
  const { server, foreign } = parties;
  const response = await fetch(`${server.url}/admin/v1/idps/generic_oidc`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: v7(), issuer: foreign.issuer, ...foreignClient },
      providerOptions: { isLinkingAllowed: true },
    }),
  });
  const { id, details } = (await response.json()) as Made;
  expect(details.resourceOwner).toBe(server.admin.organization);
  foreign.serve(`${server.url}/idps/${id}/callback`);
  return id;
}

interface Made {
  readonly id: string;
  readonly details: { readonly resourceOwner: string };
}
