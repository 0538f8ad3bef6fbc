import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { shortened } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";
import { caller, createFiles, endExamples, type Files, runExample } from "./example.ts";

let server: TestServer;
let files: Files;

beforeAll(async () => {
  server = await startServer();
  files = await createFiles();
});
afterEach(endExamples);
afterAll(() => Promise.all([server.close(), files.remove()]));

async function provision(plan: object, options = caller(server)) {
  const file = await files.write("plan.json", JSON.stringify(plan));
  return runExample(["node", "examples/provision-project.ts", file], options);
}

const web = { name: "Web", redirectUris: ["https://web.example.com/callback"] };
const phone = {
  ...{ name: "Phone", redirectUris: ["com.example:/callback"] },
  ...{ appType: "OIDC_APP_TYPE_NATIVE", authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
};
const stock = { name: "Stock" };

async function typesAfter(position: bigint): Promise<readonly string[]> {
  return (await server.events(position)).map(({ type }) => type);
}

const oidc = ["project.application.added", "project.application.config.oidc.added"];
const api = ["project.application.added", "project.application.config.api.added"];
const id = "[0-9a-f-]{36}";
const secret = "[\\w-]{43}";

describe("provision-project.ts", () => {
  test("makes what is missing, tells secrets once, and changes nothing after that", async () => {
    const plan = { project: { name: "Shop" }, oidcApps: [web, phone], apiApps: [stock] };
    const before = await server.head();
    const first = await provision(plan);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const lines = [
      `project Shop: created, id (${id})`,
      `application Web: created, client id (${id}), secret (${secret})`,
      `application Phone: created, client id (${id}), no client secret`,
      `application Stock: created, client id (${id}), secret (${secret})`,
      "",
    ];
    const [, projectId, webId, webSecret = "", phoneId, stockId, stockSecret = ""] =
      new RegExp(`^${lines.join("\n")}$`).exec(first.stdout) ?? [];
    expect(await typesAfter(before)).toEqual(["project.added", ...oidc, ...oidc, ...api]);
    const configs = (await server.events(before)).filter(({ type }) => type.includes(".config."));
    expect(configs.map(({ payload }) => JSON.parse(payload))).toEqual([
      expect.objectContaining({ clientId: webId, clientSecretHash: hashSecret(webSecret) }),
      expect.objectContaining({ clientId: phoneId, authMethod: "NONE" }),
      expect.objectContaining({ clientId: stockId, clientSecretHash: hashSecret(stockSecret) }),
    ]);

    const head = await server.head();
    expect(await provision(plan)).toEqual({
      code: 0,
      stdout: [
        `project Shop: is there, id ${projectId}`,
        `application Web: is there, client id ${webId}`,
        `application Phone: is there, client id ${phoneId}`,
        `application Stock: is there, client id ${stockId}`,
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(await server.head()).toBe(head);

    const more = { project: { name: "SHOP" }, apiApps: [{ name: "stock" }, { name: "Prices" }] };
    expect(await provision(more)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        `^project SHOP: is there, id ${projectId}\napplication stock: is there, client id ` +
          `${stockId}\napplication Prices: created, client id ${id}, secret ${secret}\n$`,
      ),
    });
    expect(await typesAfter(head)).toEqual(api);
  });

  inFull("shows a refusal, keeps what it made, and goes on with the mended file", async () => {
    const before = await server.head();
    const plan = (uri: string) => ({
      project: { name: "Mended" },
      oidcApps: [{ name: "First" }, { name: "Second", redirectUris: [uri], clockSkew: "9s" }],
    });
    const refused = await provision(plan("javascript:alert(1)"));
    expect(refused).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^project Mended: created.+\napplication First: created.+\n$/),
      stderr: expect.stringMatching(
        new RegExp(
          "^ {2}.+\n(?: {2}.+\n)+INVALID_FIELDS:\n" +
            " {2}redirect_uris\\[0\\]: .+\n {2}clock_skew: .+\n$",
        ),
      ),
    });
    expect(await typesAfter(before)).toEqual(["project.added", ...oidc]);

    const { oidcApps, ...rest } = plan("https://second.example.com/");
    const mended = { ...rest, oidcApps: oidcApps.map((app) => ({ ...app, clockSkew: "5s" })) };
    expect(await provision(mended)).toMatchObject({ code: 0 });
    expect(await typesAfter(before)).toEqual(["project.added", ...oidc, ...oidc]);
  });

  inFull("tells an application of another type apart", async () => {
    await provision({ project: { name: "Types" }, apiApps: [web].map(({ name }) => ({ name })) });
    const head = await server.head();
    expect(await provision({ project: { name: "Types" }, oidcApps: [web] })).toMatchObject({
      code: 1,
      stderr: "Error: the application Web is there, but not of this type\n",
    });
    expect(await server.head()).toBe(head);
  });

  inFull("says why it is not let in", async () => {
    const { token } = await givenUser(server, server.admin.organization);
    const plan = { project: { name: "Not let in" } };
    const ended = await Promise.all([
      provision(plan, caller(server, "nobody")),
      provision(plan, caller(server, token)),
      provision(plan, caller({ ...server, url: "http://127.0.0.1:1" })),
    ]);
    expect(ended).toEqual(
      ["UNAUTHENTICATED", "PERMISSION_DENIED", "Unavailable"].map((reason) => ({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(new RegExp(`^${reason}: .+\n$`)),
      })),
    );
  });

  const useless: readonly (readonly [text: string, says: RegExp])[] = [
    ['{"project": {"nam": "A"}}', /^PLAN: cannot decode .*AddProjectRequest.*"nam" is unknown\n$/],
    ["{", /^PLAN: .*JSON/],
    ["null", /^PLAN: /],
    ['{"projekt": {"name": "A"}}', /^PLAN: there is no place for projekt\n$/],
    ['{"project": {"name": "A"}, "oidcApps": {}}', /^PLAN: oidcApps and apiApps must be lists\n$/],
    [
      '{"project": {"name": "A"}, "oidcApps": [{"redirectUri": "https://a.example.com"}]}',
      /^PLAN: cannot decode .*AddOIDCAppRequest.*"redirectUri" is unknown\n$/,
    ],
  ];
  test.each(shortened(useless))(
    "makes nothing of a file that is of no use: %s",
    async (text, says) => {
      const file = await files.write("wrong.json", text);
      const head = await server.head();
      const ended = await runExample(
        ["node", "examples/provision-project.ts", file],
        caller(server),
      );
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr.replace(file, "PLAN")).toMatch(says);
      expect(await server.head()).toBe(head);
    },
  );

  inFull("reaches a service with TLS", async () => {
    const certificate = createCertificate("examples");
    const secure = await startServer({ certificate });
    const { env } = caller(secure);
    const ca = await files.write("ca.pem", certificate.cert);
    const trusting = { env: { ...env, NODE_EXTRA_CA_CERTS: ca } };
    const plan = { project: { name: "Secure" } };
    const ended = [await provision(plan, { env: { ...env } }), await provision(plan, trusting)];
    await secure.close();
    expect(ended.map(({ code }) => code)).toEqual([1, 0]);
    expect(ended.map(({ stdout }) => stdout).join("")).toMatch(/^project Secure: created/);
  });
});
