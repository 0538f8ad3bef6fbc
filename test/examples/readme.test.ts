import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { givenProject, startServer, type TestServer } from "../harness/server.ts";
import { createFiles, endExamples, type Files, root, startExample } from "./example.ts";

/** What each command of examples/README.md says first that shows that it works. */
const commands: { readonly [command: string]: RegExp } = {
  "node examples/import-users.ts examples/people.csv": /^4 imported, 0 skipped, 0 refused,/,
  "node examples/provision-project.ts examples/web-shop.json":
    /^project Web shop: created.*\n(?:application .*: created.*\n){4}$/,
  "node examples/follow-events.ts events.position": /^1 .+\n2 .+\n3 .+\n/,
  "node examples/login/serve.ts":
    /^log in as example with the password \S+\nthe application is at .+\n$/,
  "node examples/web/serve.ts": /^the page is at http:\/\/127\.0\.0\.1:\d+\n$/,
  "sh examples/curl.sh": /^POST (?:.+\n)+DELETE .+\n.+\n$/,
  "sh examples/buf-curl.sh": /"type": "project\.added".+"type": "project\.removed"/s,
};
/** They go on until they are stopped. */
const lasting = [
  "node examples/follow-events.ts events.position",
  "node examples/login/serve.ts",
  "node examples/web/serve.ts",
];
/** What comes before, which people do once. */
const settings = "export PATH=$PWD/node_modules/.bin:$PATH IAM_TOKEN=$(cat data/admin.token)";
const start = "IAM_CORS_ORIGINS=http://127.0.0.1:8081 make run";

let server: TestServer;
let files: Files;

beforeAll(async () => {
  server = await startServer({ publicUrl: (port) => `http://127.0.0.1:${port}` });
  // Another example removes its own, and one takes the first that there is.
  await givenProject(server, server.admin.organization);
  files = await createFiles();
  // A project's directory in which nothing is left behind, with the data of this server.
  await mkdir(files.path("project"));
  for (const name of ["examples", "gen", "node_modules"]) {
    await symlink(join(root, name), join(files.path("project"), name));
  }
  await symlink(server.dataDir, join(files.path("project"), "data"));
});
afterAll(async () => {
  await endExamples();
  await Promise.all([server.close(), files.remove()]);
});

const read = (file: string) => readFile(join(root, file), "utf8");

/** The lines of the fenced blocks of shell commands, without what is remarked about them. */
function printed(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => line.replace(/ +# .*$/, ""));
}

describe("examples/README.md", () => {
  test("prints the commands that are tried here", async () => {
    const ours = printed(await read("examples/README.md"));
    expect([...ours].sort()).toEqual([settings, start, ...Object.keys(commands)].sort());
  });

  test("names the origin that the page has", async () => {
    const [, port] = /PORT = "(\d+)"/.exec(await read("examples/web/serve.ts")) ?? [];
    expect(start).toContain(`=http://127.0.0.1:${port} `);
  });

  test("prints commands that work", async () => {
    const run = async ([command, says]: readonly [string, RegExp]) => {
      const env = { IAM_URL: server.url, PORT: "0" };
      const cwd = files.path("project");
      const example = startExample(["sh", "-c", `${settings}\nexec ${command}`], { env, cwd });
      if (lasting.includes(command)) {
        await example.says(says);
        example.kill("SIGTERM");
      }
      // A signal is the only way in which the server of the page ends, and not its failure.
      const code = (await example.ended) ?? 0;
      return { command, code, stdout: example.stdout() };
    };
    const told = await Promise.all(Object.entries(commands).map(run));
    expect(told).toEqual(
      Object.entries(commands).map(([command, says]) => ({
        ...{ command, code: 0 },
        stdout: expect.stringMatching(says),
      })),
    );
  });
});
