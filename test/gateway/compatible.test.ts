import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { reasons } from "../../src/reason.ts";
import { documentOf } from "../cases/saml-apps.ts";
import { givenOrganization, type TestServer } from "../harness/server.ts";
import { grant } from "../provider/consenting.ts";
import { givenSigner } from "../provider/machines.ts";
import { type Parties, startParties } from "../provider/relying.ts";
import { type Answered, libraries, type Service, type Shown } from "./compatible.ts";

/** The libraries that programs call the compatible API with, unchanged. */

let parties: Parties;
let server: TestServer;
let shown: Shown;

beforeAll(async () => {
  parties = await startParties({ alias: "zitadel" });
  ({ server } = parties);
  const signer = await givenSigner(parties);
  await grant(parties, signer, ["IAM_OWNER"]);
  shown = { url: server.url, token: server.admin.token, file: signer.file };
});
afterAll(() => parties.close());

describe.each(libraries)("$name", ({ open, on }) => {
  let opened: ReturnType<typeof open>;
  beforeAll(() => {
    opened = open(shown);
  });

  async function call(service: Service, method: string, request: object, organization?: string) {
    const options = organization === undefined ? undefined : on(organization);
    return await opened[service][method]!(request, options);
  }

  const oidc = () => ({ name: v7(), clientId: "us", issuer: "https://idp.example.com" });
  const person = () => {
    const userName = v7();
    return {
      userName,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: `${userName}@example.com`, isEmailVerified: true },
      requestPasswordlessRegistration: true,
    };
  };
  const app = () => ({ projectId: server.project, name: v7() });
  const id = expect.stringMatching(/^[\da-f-]{36}$/);

  /** A request of each operation, whose library says a oneof in either way, and its answer. */
  const operations: readonly (readonly [Service, string, () => Promise<object>, object])[] = [
    [
      "admin",
      "addJWTIDP",
      async () => ({
        ...{ name: v7(), jwtEndpoint: "https://idp.example.com/jwt", headerName: "x-jwt" },
        ...{ issuer: "https://idp.example.com", keysEndpoint: "https://idp.example.com/keys" },
      }),
      { idpId: id },
    ],
    ["management", "addOrgOIDCIDP", async () => ({ ...oidc(), clientSecret: "s" }), { idpId: id }],
    [
      "admin",
      "updateIDPOIDCConfig",
      async () => {
        const { idpId } = await call("management", "addOrgOIDCIDP", {
          ...oidc(),
          clientSecret: "s",
        });
        return { idpId, clientId: "you", issuer: "https://idp.example.com" };
      },
      {},
    ],
    [
      "management",
      "addOIDCApp",
      async () => ({ ...app(), redirectUris: ["https://app.example.com/callback"] }),
      { appId: id, clientId: expect.any(String), noneCompliant: false },
    ],
    [
      "management",
      "importHumanUser",
      async () => person(),
      {
        userId: id,
        passwordlessRegistration: { link: expect.stringContaining("/ui/passwordless/") },
      },
    ],
    [
      "management",
      "createAction",
      async () => ({ name: v7(), script: "function act(ctx, api) {}", allowedToFail: true }),
      { id },
    ],
    [
      "management",
      "addAPIApp",
      async () => app(),
      { appId: id, clientSecret: expect.stringMatching(/^[\w-]{43}$/) },
    ],
    [
      "user",
      "verifyPhone",
      async () => {
        const { userId } = await call("management", "importHumanUser", person());
        const verification = { returnCode: {}, verification: { case: "returnCode", value: {} } };
        const asked = { userId, phone: "+41791234567", ...verification };
        const { verificationCode } = await call("user", "setPhone", asked);
        return { userId, verificationCode };
      },
      {},
    ],
    [
      "management",
      "addSAMLApp",
      async () => {
        const value = Buffer.from(documentOf(`https://${v7()}.example.com`));
        return { ...app(), metadataXml: value, metadata: { case: "metadataXml", value } };
      },
      { appId: id },
    ],
  ];

  test.each(operations)("%s %s", async (service, method, request, answer) => {
    const details = { resourceOwner: expect.any(String), changeDate: expect.anything() };
    const answered = await call(service, method, await request());
    expect(answered).toMatchObject({ ...answer, details });
  });

  test("is told what the caller may do here, by the name that it has there", async () => {
    const { result } = await call("auth", "listMyZitadelPermissions", {});
    expect(result).toContain("iam.idp.write");
  });

  test("acts on another organization", async () => {
    const organization = await givenOrganization(server);
    const { details } = await call("management", "addProject", { name: v7() }, organization);
    expect(details?.resourceOwner).toBe(organization);
  });

  test("is refused with the code and the words of any other client", async () => {
    const unknown: Promise<Answered> = call("management", "getProjectByID", { id: v7() });
    await expect(unknown).rejects.toMatchObject({
      code: 5,
      message: expect.stringContaining(reasons.PROJECT_NOT_FOUND[1]),
    });
  });
});
