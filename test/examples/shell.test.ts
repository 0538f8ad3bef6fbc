import { chmod, readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";
import { caller, createFiles, endExamples, type Files, runExample } from "./example.ts";

let server: TestServer;
let secure: TestServer;
let files: Files;
let authority: string;

beforeAll(async () => {
  const certificate = createCertificate("examples");
  server = await startServer();
  secure = await startServer({ certificate });
  files = await createFiles();
  authority = await files.write("ca.pem", certificate.cert);
});
afterEach(endExamples);
afterAll(() => Promise.all([server.close(), secure.close(), files.remove()]));

/** What both scripts do, as the log tells it. */
const life = [
  "project.added",
  ...["project.application.added", "project.application.config.api.added"],
  "project.application.deactivated",
];

async function typesAfter(position: bigint, from = server): Promise<readonly string[]> {
  return (await from.events(position)).map(({ type }) => type);
}

describe("curl.sh", () => {
  const removed = ["project.application.removed", "project.removed"];

  test("makes a project and takes it away, as often as one likes", async () => {
    const before = await server.head();
    for (const name of ["A \\ in \"quotes\" & 'more'", "Again", "Again"]) {
      const ended = await runExample(["sh", "examples/curl.sh", name], caller(server));
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(ended.stdout).toContain(
        `POST /management/v1/projects {"name": ${JSON.stringify(name)}`,
      );
      expect(ended.stdout.match(/^ {2}\{.*"details":\{.*\}$/gm)).toHaveLength(6);
      expect(ended.stdout).toMatch(/"totalResult":"1".*"name":"Reporting"/);
    }
    const all = [...life, ...removed];
    expect(await typesAfter(before)).toEqual([...all, ...all, ...all]);
    const [{ payload } = { payload: "" }] = await server.events(before);
    expect(JSON.parse(payload)).toMatchObject({ name: "A \\ in \"quotes\" & 'more'" });
  });

  test("keeps the token out of the arguments of processes", async () => {
    const log = files.path("arguments");
    const wrapper = `#!/bin/sh\nprintf '%s\\n' "$@" >> ${log}\nPATH=$REAL_PATH exec curl "$@"\n`;
    await chmod(await files.write("curl", wrapper), 0o755);
    const { PATH = "" } = process.env;
    const path = { PATH: `${files.path("")}:${PATH}`, REAL_PATH: PATH };
    const env = { ...caller(server).env, ...path };
    expect(await runExample(["sh", "examples/curl.sh", "Secret"], { env })).toMatchObject({
      code: 0,
    });
    const args = await readFile(log, "utf8");
    expect(args).toContain(`${server.url}/management/v1/projects`);
    expect(args).not.toContain(server.admin.token);
  });

  test("stops at the first refusal and shows it", async () => {
    const viewer = await givenUser(server, server.admin.organization, [
      { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] },
    ]);
    const before = await server.head();
    const run = (name: string, options = caller(server)) =>
      runExample(["sh", "examples/curl.sh", name], options);
    const ended = await Promise.all([
      run("getting STARTED"),
      run(" "),
      run("Refused", caller(server, "nobody")),
      run("Refused", caller(server, viewer.token)),
      run("Refused", caller({ ...server, url: "http://127.0.0.1:1" })),
      run("Refused", {}),
    ]);
    const refused = (reason: string) => new RegExp(`"reason":"${reason}"`);
    const says: readonly [number, RegExp][] = [
      [1, refused("NAME_TAKEN")],
      [1, refused("INVALID_FIELDS")],
      [1, refused("UNAUTHENTICATED")],
      [1, refused("PERMISSION_DENIED")],
      [1, /^curl: \(7\) /],
      [2, /IAM_TOKEN: says who calls: /],
    ];
    expect(ended).toEqual(
      says.map(([code, stderr]) => ({
        code,
        stdout: expect.not.stringContaining("DELETE"),
        stderr: expect.stringMatching(stderr),
      })),
    );
    expect(await server.head()).toBe(before);
  });

  test("reaches a service with TLS", async () => {
    const before = await secure.head();
    const env = { ...caller(secure).env, SSL_CERT_FILE: authority };
    expect(await runExample(["sh", "examples/curl.sh"], { env })).toMatchObject({ code: 0 });
    expect(await typesAfter(before, secure)).toEqual([...life, ...removed]);
  });
});

describe("buf-curl.sh", () => {
  test("makes a project over TLS, takes it away, and tells what happened", async () => {
    const before = await secure.head();
    const env = { ...caller(secure).env, SSL_CERT_FILE: authority };
    const ended = await runExample(["sh", "examples/buf-curl.sh", 'Say "buf"'], { env });
    expect(ended).toMatchObject({ code: 0 });
    expect(await typesAfter(before, secure)).toEqual([
      ...life,
      ...["project.removed", "project.application.removed"],
    ]);
    expect(ended.stdout).toMatch(/"type": "project\.added".+"type": "project\.removed"/s);
    expect(ended.stdout).toContain('"name": "Say \\"buf\\""');
  });

  test("stops at the first refusal and shows it", async () => {
    const before = await server.head();
    const run = (name: string, options = caller(server)) =>
      runExample(["sh", "examples/buf-curl.sh", name], options);
    const ended = await Promise.all([
      run("getting STARTED"),
      run("Refused", caller(server, "nobody")),
      run("Refused", {}),
    ]);
    // Eight times the code of gRPC, which is how buf ends.
    const says: readonly [number, RegExp][] = [
      [48, /"code": "already_exists",\n/],
      [128, /"code": "unauthenticated",\n/],
      [2, /IAM_TOKEN: says who calls: /],
    ];
    expect(ended).toEqual(
      says.map(([code, stderr]) => ({
        code,
        stdout: "",
        stderr: expect.stringMatching(stderr),
      })),
    );
    expect(await server.head()).toBe(before);
  });
});
