import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { endExamples, startExample } from "../examples/example.ts";
import { freePort } from "../harness/port.ts";
import { find } from "./programs.ts";

/** The units of `deploy/systemd`, judged by programs of systemd that need none that runs. */

const project = join(import.meta.dirname, "../..");
const exposureMax = 1.5;

const programs = ["systemd-analyze", "systemd-socket-activate", "strace"] as const;
const hasPrograms = programs.every((name) => find(name) !== undefined);
/** Other systems have none of them; `test/runner/missing.ts` says so. */
const describeWithSystemd = hasPrograms ? describe : describe.skip;

describeWithSystemd("the units", () => {
  let units: string;

  beforeAll(async () => {
    units = await mkdtemp(join(tmpdir(), "iam-test-"));
    // As they are installed, but for where the service lies.
    cpSync(join(project, "deploy/systemd"), units, { recursive: true, dereference: true });
    for (const name of readdirSync(units).filter((one) => one.endsWith(".service"))) {
      const file = join(units, name);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("/opt/iam", project));
    }
  });
  afterAll(async () => {
    await endExamples();
    await rm(units, { recursive: true });
  });

  const unit = (name: string) => readFileSync(join(units, name), "utf8");
  const analyze = (...args: readonly string[]) => {
    const { stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    return { stdout, stderr };
  };

  test("iam.service starts again however often it failed", () => {
    expect(unit("iam.service")).toMatch(/^Restart=always$/m);
    const [ofUnit = ""] = unit("iam.service").split("[Service]");
    expect(ofUnit).toMatch(/^StartLimitIntervalSec=0$/m);
  });

  test.each(["iam.service", "iam.socket", "iam-backup.service", "iam-backup.timer"])(
    "%s says nothing that systemd does not know",
    (name) => {
      expect(analyze("verify", join(units, name))).toEqual({ stdout: "", stderr: "" });
    },
  );

  test.each(["iam.service", "iam-backup.service"])("%s is exposed to little", (name) => {
    const { stdout } = analyze("security", "--offline=true", "--no-pager", join(units, name));
    const [, exposure = ""] = /Overall exposure level for \S+: ([\d.]+) /.exec(stdout) ?? [];
    expect(Number(exposure)).toBeGreaterThan(0);
    expect(Number(exposure)).toBeLessThanOrEqual(exposureMax);
  });

  test("the service and its backup make no system call that the units forbid", async () => {
    const allowed = allowedBy(
      unit("iam.service.d/hardening.conf"),
      analyze("syscall-filter").stdout,
    );
    const dataDir = join(units, "data");
    const environment = { IAM_PORT: "0", IAM_DATA_DIR: dataDir };
    const serving = traced("serve", environment);
    await serving.says(/^listening on/m);
    const [, url = ""] = /^listening on (\S+)$/m.exec(serving.stdout()) ?? [];
    const token = readFileSync(join(dataDir, "admin.token"), "utf8").trim();
    const answer = await fetch(`${url}/management/v1/users/human/_import`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(person),
    });
    expect(answer.status).toBe(200);
    // The thread that checks the log gives way to the others.
    await serving.says(/the event log was checked: nothing is damaged/);
    const backup = traced(`backup ${join(units, "copy.db")}`, environment);
    expect(await backup.ended).toBe(0);
    serving.kill("SIGTERM");
    expect(await serving.ended).toBe(0);
    const called = [...serving.called(), ...backup.called()];
    expect(called).toContain("setpriority");
    // SQLite asks for the last one where root runs it, and nobody else.
    expect(called.filter((name) => !allowed.has(name) && name !== "fchown")).toEqual([]);
  });

  test("the service takes the connection that has waited at the socket", async () => {
    const port = await freePort();
    const names = { IAM_DATA_DIR: join(units, "handed"), IAM_PORT: "1" };
    const [, command = ""] = /^ExecStart=(.*)$/m.exec(unit("iam.service")) ?? [];
    const service = startExample([
      "systemd-socket-activate",
      `--listen=127.0.0.1:${port}`,
      ...Object.entries(names).map(([name, value]) => `--setenv=${name}=${value}`),
      ...command.split(" "),
    ]);
    await service.says(/^Listening on /m);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    // From here on it follows signals.
    await service.says(/^listening on /m);
    service.kill("SIGTERM");
    expect(await service.ended).toBe(0);
  });

  /** Runs a command of the service, and notes which system calls it makes. */
  function traced(command: string, environment: { readonly [name: string]: string }) {
    const trace = join(units, `trace-${command.split(" ", 1)}`);
    // Not the tracer but the service is the process that is started.
    const tracing = ["--daemonize", "--follow-forks", "--seccomp-bpf", `--output=${trace}`];
    const args = [...tracing, join(project, "bin/iam"), ...command.split(" ")];
    const called = () =>
      new Set(
        [...readFileSync(trace, "utf8").matchAll(/^\d+ +(\w+)\(/gm)].map(([, name]) => name!),
      );
    return { ...startExample(["strace", ...args], { env: environment }), called };
  }
});

const person = {
  userName: "ada",
  email: { email: "ada@example.com", isEmailVerified: true },
  profile: { firstName: "Ada", lastName: "Lovelace" },
  password: "correct horse battery",
};

/** The system calls that a unit allows, with the sets of systemd that it names. */
function allowedBy(unit: string, sets: string): ReadonlySet<string> {
  const members = new Map<string, string[]>();
  for (const line of sets.split("\n")) {
    if (line.startsWith("@")) members.set(line.trim(), []);
    else if (/^ +[@\w]/.test(line)) [...members.values()].at(-1)?.push(line.trim());
  }
  const callsOf = (name: string): readonly string[] =>
    name.startsWith("@") ? (members.get(name) ?? []).flatMap(callsOf) : [name];
  const allowed = new Set(callsOf("@default"));
  for (const [, not, names = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const name of names.split(" ").flatMap(callsOf)) {
      if (not === "~") allowed.delete(name);
      else allowed.add(name);
    }
  }
  return allowed;
}
