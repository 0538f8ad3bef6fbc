import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { documentOf } from "../cases/saml-apps.ts";
import { startServer, type TestServer } from "../harness/server.ts";

// A client that oazapfts makes from the document that is served compiles, and makes calls of all
// kinds: with a path, a header, bytes, a duration, enums and nested messages.

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

let server: TestServer;
let directory: string;

beforeAll(async () => {
  server = await startServer();
  directory = await mkdtemp(join(tmpdir(), "iam-client-"));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  const served = await fetch(`${server.url}/openapi.json`);
  await writeFile(join(directory, "openapi.json"), await served.text());
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
});

afterAll(async () => {
  await rm(directory, { recursive: true });
  await server.close();
});

/** A program that makes the calls, one after the other. */
const program = (given: object) => `
import { ok } from "@oazapfts/runtime";
import * as api from "./client.ts";
const { url, token, projectId, metadataXml, organization } = ${JSON.stringify(given)};
api.defaults.baseUrl = url;
api.defaults.headers = { authorization: \`Bearer \${token}\` };
const options = { xServiceOrgid: organization };
const client = { issuer: "https://issuer.example.com", clientId: "client", clientSecret: "secret" };
await ok(api.managementServiceAddOrgJwtidp({
  name: "JWT",
  issuer: "https://issuer.example.com",
  jwtEndpoint: "https://issuer.example.com/jwt",
  keysEndpoint: "https://issuer.example.com/keys",
  headerName: "authorization",
}, options));
const oidc = { name: "OIDC", ...client };
const { idpId = "" } = await ok(api.managementServiceAddOrgOidcidp(oidc, options));
await ok(api.managementServiceUpdateOrgIdpoidcConfig(idpId, client, options));
const web = await ok(api.managementServiceAddOidcApp(projectId, {
  name: "Web",
  redirectUris: ["https://app.example.com/callback"],
  responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
  clockSkew: "1.5s",
}, { ...options, idempotencyKey: "one" }));
const { userId = "" } = await ok(api.managementServiceImportHumanUser({
  userName: "ada",
  profile: { firstName: "Ada", lastName: "Lovelace", gender: "GENDER_FEMALE" },
  email: { email: "ada@example.com", isEmailVerified: true },
}, options));
await ok(api.managementServiceCreateAction({
  name: "log", script: "function log(ctx, api) {}", timeout: "5s",
}, options));
await ok(api.managementServiceAddApiApp(projectId, { name: "API" }, options));
const { verificationCode = "" } = await ok(api.userServiceSetPhone(userId, {
  phone: "+41791234567", returnCode: {},
}, {}));
await ok(api.userServiceVerifyPhone(userId, { verificationCode }, {}));
await ok(api.managementServiceAddSamlApp(projectId, { name: "SAML", metadataXml }, options));
const refused = await api.managementServiceAddProject({ name: "" }, options);
const reason = refused.status === 400 ? refused.data.code : 0;
console.log(JSON.stringify({ clientId: web.clientId, sequence: web.details?.sequence, reason }));
`;

test("a client that is made from the document compiles, and makes the calls", async () => {
  const node = (script: string, ...flags: readonly string[]) =>
    run(process.execPath, [script, ...flags], { cwd: directory });
  const packages = join(root, "node_modules");
  await node(join(packages, "oazapfts/dist/cli.js"), "openapi.json", "client.ts");
  const { admin, project: projectId, url } = server;
  const { token, organization } = admin;
  const metadataXml = Buffer.from(documentOf("https://sp.example.com")).toString("base64");
  const calls = program({ url, token, organization, projectId, metadataXml });
  await writeFile(join(directory, "calls.ts"), calls);
  const flags = ["--strict", "--noEmit", "--allowImportingTsExtensions", "--skipLibCheck"];
  const types = ["--module", "nodenext", "--target", "es2024", "--types", "node"];
  await node(join(packages, "typescript/bin/tsc"), ...flags, ...types, "calls.ts");
  const { stdout } = await node("calls.ts");
  expect(JSON.parse(stdout)).toEqual({
    clientId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    sequence: expect.stringMatching(/^[0-9]+$/),
    reason: 3,
  });
  const made = (await server.events()).map(({ type }) => type);
  expect(made).toEqual(
    expect.arrayContaining([
      "idp.jwt.config.added",
      "idp.oidc.config.added",
      "idp.oidc.config.changed",
      "project.application.config.oidc.added",
      "user.human.added",
      "action.added",
      "project.application.config.api.added",
      "user.human.phone.verified",
      "project.application.config.saml.added",
    ]),
  );
});
