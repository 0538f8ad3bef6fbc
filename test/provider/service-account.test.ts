import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ServiceAccount } from "@zitadel/node/dist/credentials/index.js";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { givenSigner } from "./machines.ts";
import { type Parties, startParties } from "./relying.ts";

// Clients of the compatible API, as they are.

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test.each(["ACCESS_TOKEN_TYPE_BEARER", "ACCESS_TOKEN_TYPE_JWT"])(
  "@zitadel/node: a service account calls the API with the file of its key: %s",
  async (accessTokenType) => {
    const { file } = await givenSigner(parties, { accessTokenType });
    const account = ServiceAccount.fromJsonString(JSON.stringify(file));
    const { url } = parties.server;
    const token = await account.authenticate(url, { additionalScopes: [apiScope] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = `${url}/management/v1/projects/_search`;
    const found = await fetch(path, { method: "POST", headers, body: "{}" });
    expect([found.status, await found.json()]).toEqual([
      200,
      expect.objectContaining({
        result: [expect.objectContaining({ id: parties.server.project })],
      }),
    ]);
  },
);
