import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { patience } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { endProcesses, type ServiceProcess, startProcess } from "../harness/process.ts";
import { endExamples, root, startExample } from "./example.ts";
import { installsOf } from "./page.ts";

/** What people are told to type: it works as it is printed, and prints what it is said to print. */

const read = (file: string) => readFileSync(join(root, file), "utf8");
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
  "examples/README.md",
  "deploy/README.md",
];

describe("documents", () => {
  test.each(documents)("%s links to what is there", (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, to = ""]) => to);
    const own = links.filter((to) => !/^https?:/.test(to));
    expect(own.filter((to) => !existsSync(join(root, dirname(file), to)))).toEqual([]);
  });

  test.each(documents)("%s names files that are there", (file) => {
    const names = [...read(file).matchAll(/`((?:[a-z-]+\/)+[a-z-]*(?:\.test)?(?:\.[a-z]+)?)`/g)];
    const own = names
      .map(([, name = ""]) => name)
      .filter((name) => !/^(?:app|application|data|outbox)\//.test(name));
    const places = (name: string) => [name, `src/${name}`, `src/${name}.ts`];
    const isThere = (name: string) => places(name).some((path) => existsSync(join(root, path)));
    expect(own.filter((name) => !isThere(name))).toEqual([]);
  });

  const starts = documents.filter((file) => file.startsWith("docs/start/"));
  test.each(starts)("%s is read in one screen", (file) => {
    expect(read(file).trimEnd().split("\n").length).toBeLessThanOrEqual(75);
  });

  test("docs/start installs the versions that its tests run with", () => {
    const { dependencies } = JSON.parse(read("examples/start/package.json"));
    const installed = starts.flatMap((file) => installsOf(basename(file)));
    const others = installed.filter(
      ([name, version]) => !`${dependencies[name]}.`.startsWith(`${version}.`),
    );
    expect(others).toEqual([]);
    expect(new Set(installed.map(([name]) => name))).toEqual(new Set(Object.keys(dependencies)));
  });

  test("README.md is read in two screens", () => {
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(130);
  });
});

/** One step of a document: what is typed, and what is shown of what it prints. */
interface Step {
  readonly typed: string;
  /** Empty where nothing is shown. */
  readonly printed: string;
}

/** The steps of a document: a block of `sh` is one, a command of a `console` is one. */
function stepsOf(markdown: string): readonly Step[] {
  const blocks = [...markdown.matchAll(/^```(sh|console)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, kind, text = ""]) => {
    if (kind === "sh") return [{ typed: text.trimEnd(), printed: "" }];
    return text.split(/^\$ /m).flatMap((part) => {
      const [, typed = "", printed = ""] = /^((?:[^\n]*\\\n)*[^\n]*)\n?(.*)$/s.exec(part) ?? [];
      return typed === "" ? [] : [{ typed, printed: printed.trim() }];
    });
  });
}

/** Milliseconds that a busy machine may take for all steps of a document. */
const timeoutMs = 120_000 * patience;

const tools = ["curl", "sqlite3"];
const directories = (process.env.PATH ?? "").split(delimiter);
const hasTools = tools.every((tool) => directories.some((path) => existsSync(join(path, tool))));
/** Nothing can take the place of the programs that people type: without them, tests are skipped. */
const describeWithTools = hasTools ? describe : describe.skip;

describeWithTools("after make run", () => {
  let project: string;
  let service: ServiceProcess;
  let url: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "iam-test-"));
    for (const name of ["package.json", "src", "gen", "proto", "node_modules"]) {
      await symlink(join(root, name), join(project, name));
    }
    const env = { IAM_PORT: "0", IAM_DATA_DIR: join(project, "data") };
    service = startProcess([], { env });
    url = await service.listening;
  });
  afterAll(async () => {
    await endExamples();
    await endProcesses();
    await rm(project, { recursive: true });
  });

  const here = (typed: string) => typed.replaceAll("http://127.0.0.1:8080", url);
  const start = (typed: string) =>
    startExample(["sh", "-c", here(typed)], {
      cwd: project,
      env: { PATH: `${join(project, "node_modules/.bin")}:${process.env.PATH}` },
    });
  /** Types the steps in one shell, and answers what each printed. */
  const type = async (steps: readonly string[]): Promise<readonly string[]> => {
    const lines = steps.flatMap((typed, index) => [`echo; echo "@@@ ${index}"`, typed]);
    const shell = start(`set -e\n${lines.join("\n")}`);
    const code = await shell.ended;
    if (code !== 0) throw new Error(`it ended with ${code}: ${shell.stdout()}${shell.stderr()}`);
    const [, ...printed] = shell.stdout().split(/\n@@@ \d+\n/);
    return printed.map((text) => text.trim());
  };
  /** What is another thing each time gets the same name. */
  const plain = (text: string) =>
    text
      .replaceAll(project, "/home/you/iam")
      .replaceAll(url, "http://127.0.0.1:8080")
      .replaceAll(new URL(url).port, "8080")
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<date>");

  test(
    "README.md prints what is printed",
    async () => {
      const [run, ...steps] = stepsOf(read("README.md"));
      expect([run?.typed, plain(run?.printed ?? "")]).toEqual([
        "make run",
        plain(service.stdout().trim()),
      ]);
      const [, firstCall = ""] = /\n\n(.+)\n\n/s.exec(service.stdout()) ?? [];
      const [, ...printed] = await type([firstCall, ...steps.map(({ typed }) => typed)]);
      expect(printed.map(plain)).toEqual(steps.map(({ printed: said }) => plain(said)));
      expect(steps.length).toBeGreaterThan(5);
    },
    timeoutMs,
  );

  inFull(
    "docs/calls.md calls what is answered",
    async () => {
      const steps = stepsOf(read("docs/calls.md")).map(({ typed }) => typed);
      const [watch = "", ...others] = steps.filter((typed) => typed.includes("WatchEvents"));
      expect(others).toEqual([]);
      const calls = steps
        .filter((typed) => typed !== watch)
        // People wait a second for a mail; a busy machine may take longer.
        .map((typed) => typed.replace("sleep 1", "until ls data/outbox/*.eml; do sleep 0.1; done"));
      const printed = (await type(calls)).join("\n");
      const answers = printed.split("\n").filter((line) => line.startsWith("{"));
      expect(answers.length).toBe(calls.join("\n").match(/^call /gm)?.length);
      const refusals = answers.filter((line) => line.startsWith('{"code"'));
      expect(refusals).toEqual([expect.stringContaining('"reason":"IDP_IN_USE"')]);
      expect(printed).toContain("Subject: Richten Sie Ihr Konto ein");
      await start(`exec ${watch}`).says(
        /"user\.human\.added".*"project\.application\.removed".*"processedSequence"/s,
      );
    },
    timeoutMs,
  );

  /** What the calls of the steps answer, after the shorthands; none is refused. */
  const answersOf = async (steps: readonly string[]): Promise<readonly string[]> => {
    const [shorthands = ""] = stepsOf(read("docs/calls.md")).map(({ typed }) => typed);
    const printed = (await type([shorthands, ...steps])).join("\n");
    const answers = printed.split("\n").filter((line) => line.startsWith("{"));
    expect(answers.length).toBe(steps.join("\n").match(/^(?:call|curl) /gm)!.length);
    expect(answers.filter((line) => line.startsWith('{"code"'))).toEqual([]);
    return answers;
  };

  inFull(
    "docs/policies.md gives an organization a login of its own",
    async () => {
      const steps = stepsOf(read("docs/policies.md")).map(({ typed }) => typed);
      const shown = 'call GET /management/v1/policies/label ""';
      const answers = await answersOf([...steps, shown]);
      expect(answers.at(-1)).toMatch(/"primaryColor":"#0a7a5c".*"logoUrl":"[^"]+\.png"/);
    },
    timeoutMs,
  );

  inFull(
    "docs/providers.md configures providers, takes them away, and has an organization offer one",
    async () => {
      const answers = await answersOf(stepsOf(read("docs/providers.md")).map(({ typed }) => typed));
      const google = /"state":"IDP_STATE_INACTIVE","name":"Google for work"/;
      expect(answers.filter((line) => google.test(line))).toHaveLength(2);
      expect(answers.some((line) => line.includes('"idpName":"Example"'))).toBe(true);
      // A trial from a machine that may ask nobody inside says so, and ends there.
      expect(answers.some((line) => /"steps":\[\{"name":"keys",/.test(line))).toBe(true);
    },
    timeoutMs,
  );

  inFull(
    "docs/access.md tells who has access",
    async () => {
      const answers = await answersOf(stepsOf(read("docs/access.md")).map(({ typed }) => typed));
      const roles = '"roles":["ORG_OWNER_VIEWER","ORG_USER_MANAGER"]';
      expect(answers.filter((line) => line.includes(roles))).toHaveLength(2);
    },
    timeoutMs,
  );

  inFull(
    "docs/roles.md and docs/groups.md grant roles, also to a customer",
    async () => {
      const [setUp = "", ...customer] = stepsOf(read("docs/roles.md")).map(({ typed }) => typed);
      const groups = stepsOf(read("docs/groups.md")).map(({ typed }) => typed);
      const answers = await answersOf([setUp, ...groups, ...customer]);
      expect(answers.some((line) => line.includes('"grantedRoleKeys":["editor"]'))).toBe(true);
      expect(answers.filter((line) => line.includes('"userGrantId"'))).toHaveLength(2);
      expect(answers.at(-1)).toMatch(/"active":true.*"urn:iam:org:project:roles":\{"editor":/);
    },
    timeoutMs,
  );

  inFull(
    "docs/actions.md tests a script and sets a flow",
    async () => {
      const answers = await answersOf(stepsOf(read("docs/actions.md")).map(({ typed }) => typed));
      const told = answers.join("\n");
      expect(told).toContain('{"kind":"setClaim","name":"greeting","valueJson":"\\"Grace\\""}');
      expect(told).toMatch(/"problem":\{"errorClass":"TypeError",.*"line":1,"column":\d+\}/);
      expect(told).toMatch(/"triggerActions":\[\{"triggerType":\{"id":"4".*"name":"plan"/);
    },
    timeoutMs,
  );

  inFull(
    "docs/operate.md keeps what was made",
    async () => {
      const steps = stepsOf(read("docs/operate.md")).map(({ typed }) => typed);
      const stopped = steps.filter((typed) => /rebuild|erase-vacuum/.test(typed));
      // What saves an open file needs one that was lost.
      const others = steps.filter((typed) => !/rebuild|erase-vacuum|\/proc\//.test(typed));
      const [backup, restored, moved, copied, verified, link, rotated, given, ...rest] =
        await type(others);
      const [token, waiting, ...more] = rest;
      const whole = /^Checked \d+ events .*: nothing is damaged\.$/m;
      for (const said of [backup, restored, moved, copied, verified]) expect(said).toMatch(whole);
      expect(link).toMatch(/^The link is in \S+owner\.link, and leads to http:\S+\.$/);
      expect(rotated).toMatch(/^Added the key \S+ \(RS256\), which signs from \S+Z\.$/);
      expect(given).toMatch(/^iam_pat_\w+$/);
      expect(plain(token ?? "").split("\n")[0]).toBe("user-<id>|<id>");
      expect([waiting, more]).toEqual([expect.stringMatching(/^0\|/), []]);
      expect(existsSync(join(project, "copy.db.head"))).toBe(true);
      service.kill("SIGTERM");
      await service.ended;
      expect(await type(stopped)).toEqual([
        expect.stringMatching(/^The files of the log have nothing but its rows\.$/m),
        expect.stringMatching(/^Made \d+ objects/m),
      ]);
    },
    timeoutMs,
  );
});
