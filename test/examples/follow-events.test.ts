import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";
import { givenProject, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";
import { start } from "../start/command.ts";
import {
  caller,
  createFiles,
  type Example,
  type ExampleOptions,
  endExamples,
  type Files,
  runExample,
  startExample,
} from "./example.ts";

let files: Files;
let server: TestServer;

beforeAll(async () => {
  files = await createFiles();
  server = await startServer();
});
afterEach(endExamples);
afterAll(() => Promise.all([files.remove(), server.close()]));

function follow(args: readonly string[], options: ExampleOptions): Example {
  return startExample(["node", "examples/follow-events.ts", ...args], options);
}

/** The positions at the beginning of the lines. */
function positions(...examples: readonly Example[]): readonly number[] {
  return examples.flatMap(({ stdout }) =>
    stdout()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => Number(line.split(" ")[0])),
  );
}

function upTo(position: number): readonly number[] {
  return Array.from({ length: position }, (_none, index) => index + 1);
}

describe("follow-events.ts", () => {
  test("goes on without gap or repeat when it, and the service, are started again", async () => {
    const dataDir = files.path("data");
    const position = files.path("restarted.position");
    const serve = (port: string) =>
      start(["--data-dir", dataDir, "--port", port, "--stop-grace-ms", "500"]);
    let service = await serve("0");
    const { url } = service;
    const token = (await readFile(`${dataDir}/admin.token`, "utf8")).trim();
    const options = { env: { IAM_URL: url, IAM_TOKEN: token } };
    const add = async (name: string) => {
      const response = await fetch(`${url}/management/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      expect(response.status).toBe(200);
    };

    const first = follow([position], options);
    await add('In "one" line');
    await first.says(/"In \\"one\\" line"/);
    first.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    await add("Nobody looks");

    const second = follow([position], options);
    await second.says(/"Nobody looks"/);
    await service.close();
    await second.says(/^Unavailable: .*ECONNREFUSED/m);
    service = await serve(new URL(url).port);
    await add("Back again");
    await second.says(/"Back again"/);
    // The hard way, once it waits for news.
    const last = positions(second).at(-1)!;
    while (!(await readFile(position, "utf8")).startsWith(`${last}-`))
      await new Promise(setImmediate);
    second.kill("SIGKILL");
    await second.ended;
    await add("At the end");

    const third = follow([position], options);
    await third.says(/"At the end"/);
    third.kill("SIGINT");
    expect(await third.ended).toBe(0);
    const seen = positions(first, second, third);
    expect(seen).toEqual(upTo(last + 1));
    expect(await readFile(position, "utf8")).toMatch(new RegExp(`^${last + 1}-[0-9a-f]{16}\n$`));
    expect([first, third].map(({ stderr }) => stderr())).toEqual(["", ""]);
    await service.close();
  });

  inFull("shows the chosen types only, and remembers that it has seen the others", async () => {
    const position = files.path("chosen.position");
    const chosen = follow([position, "project.added"], caller(server));
    await chosen.says(/project\.added/);
    await givenUser(server, server.admin.organization);
    await givenProject(server, server.admin.organization, "Chosen");
    await chosen.says(/"Chosen"/);
    chosen.kill("SIGTERM");
    expect(await chosen.ended).toBe(0);
    expect(chosen.stdout()).toMatch(
      /^4 \S+T\S+Z project\.added [\w-]+ by "Administrator" \{"name":"Get.+\}\n\d+ .+\n$/,
    );
    expect(positions(chosen).at(-1)).toBe(Number.parseInt(await readFile(position, "utf8"), 10));
  });

  test("ends when nobody reads any more", async () => {
    const command = `node examples/follow-events.ts ${files.path("head.position")} | head -n 2`;
    const example = startExample(["sh", "-c", command], caller(server));
    let code: number | null | undefined;
    const ended = example.ended.then((its) => {
      code = its;
    });
    await example.says(/^2 .+\n/m);
    // It notices when it next has a line to show.
    while (code === undefined) {
      await givenProject(server, server.admin.organization);
      await Promise.race([ended, pause(100)]);
    }
    expect({ code, stderr: example.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(example.stdout()).toMatch(/^1 .+\n2 .+\n$/);
  });

  inFull("says why it ends", async () => {
    const { token } = await givenUser(server, server.admin.organization);
    const position = files.path("refused.position");
    const rubbish = await files.write("rubbish.position", "forty-two\n");
    const run = (args: readonly string[], options: ExampleOptions) =>
      runExample(["node", "examples/follow-events.ts", ...args], options);
    const ended = await Promise.all([
      run([position], caller(server, "nobody")),
      run([position], caller(server, token)),
      run([rubbish], caller(server)),
      run([files.path("none/position")], caller(server)),
      run([], caller(server)),
      run([position], {}),
    ]);
    const says: readonly [number, RegExp][] = [
      [1, /^UNAUTHENTICATED: .+\n$/],
      [1, /^PERMISSION_DENIED: .+\n$/],
      [2, /^\/.+: it does not hold a place\n$/],
      [2, /^\/.+: ENOENT: .+\n$/],
      [2, /^usage: /],
      [2, /^usage: /],
    ];
    expect(ended).toEqual(
      says.map(([code, stderr]) => ({ code, stdout: "", stderr: expect.stringMatching(stderr) })),
    );
  });

  inFull("reaches a service with TLS", async () => {
    const certificate = createCertificate("examples");
    const secure = await startServer({ certificate });
    const ca = await files.write("ca.pem", certificate.cert);
    const options = { env: { ...caller(secure).env, NODE_EXTRA_CA_CERTS: ca } };
    const example = follow([files.path("secure.position")], options);
    const last = await secure.head();
    await example.says(new RegExp(`^${last} `, "m"));
    example.kill("SIGTERM");
    expect(await example.ended).toBe(0);
    await secure.close();
    expect(positions(example)).toEqual(upTo(Number(last)));
  });
});
