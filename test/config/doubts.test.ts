import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { sayDoubts, unknownNamed, unknownSettings } from "../../src/config/doubts.ts";
import { settings } from "../../src/config/settings.ts";
import { logsTo } from "../../src/start/logger.ts";
import { inFull } from "../harness/in-full.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";

afterEach(endProcesses);

describe("a start on this machine that people reach by https", () => {
  const publicUrl = "https://iam.example.com";
  const reached = `--public-url=${publicUrl}`;
  const msg =
    "a proxy seems to be in front, and its callers share one limit: name it in IAM_TRUSTED_PROXIES";

  /** What is said of such a start. */
  function said(url: string, ...flags: readonly string[]) {
    const lines: string[] = [];
    const logs = logsTo({ write: (line: string) => void lines.push(line) }, "info");
    sayDoubts(readConfig(flags, {}), url, logs);
    return lines
      .map((line) => JSON.parse(line))
      .map((line) => [line.level, line.publicUrl, line.msg]);
  }
  const here = "http://127.0.0.1:8080";

  test.each([
    ["names no proxy", said(here, reached), [[40, publicUrl, msg]]],
    ["names none on ::1", said("http://[::1]:8080", reached), [[40, publicUrl, msg]]],
    ["names one", said(here, reached, "--trusted-proxies=127.0.0.1"), []],
    ["serves others", said("http://10.0.0.1:8080", reached), []],
    ["is reached by http", said(here, "--public-url=http://iam.example.com"), []],
    ["ends TLS", said(here, reached, "--tls-cert=cert", "--tls-key=key"), []],
    ["names its URL", said("http://0.0.0.0:8080", reached), []],
  ])("and %s", (_, told, expected) => {
    expect(told).toEqual(expected);
  });
});

test.each(["0.0.0.0", "[::]"])("a start on all addresses, %s, has no issuer to reach", (host) => {
  const lines: string[] = [];
  const logs = logsTo({ write: (line: string) => void lines.push(line) }, "info");
  sayDoubts(readConfig([], {}), `http://${host}:8080`, logs);
  const what = "applications cannot reach the issuer: set IAM_PUBLIC_URL to the URL that they use";
  const [{ level, issuer, msg }] = lines.map((line) => JSON.parse(line));
  expect([level, issuer, msg]).toEqual([40, `http://${host}:8080`, what]);
});

describe("variables that are no settings", () => {
  const toldOf = (...names: readonly string[]) =>
    unknownSettings(Object.fromEntries(names.map((name) => [name, "a secret"])));

  test.each([
    ["IAM_SMPT_URL", ["IAM_SMPT_URL (did you mean IAM_SMTP_URL?)"]],
    ["IAM_TRUSTED_PROXY", ["IAM_TRUSTED_PROXY (did you mean IAM_TRUSTED_PROXIES?)"]],
    // Two neighbours that are swapped are one mistake, also in a short name.
    ["IAM_PROT", ["IAM_PROT (did you mean IAM_PORT?)"]],
    ["IAM_HSOT", ["IAM_HSOT (did you mean IAM_HOST?)"]],
    ["IAM_DTAA_DRI", ["IAM_DTAA_DRI (did you mean IAM_DATA_DIR?)"]],
    ["IAM_TROP", ["IAM_TROP"]],
    ["IAM_DATABASE", ["IAM_DATABASE (did you mean IAM_DATABASE_URL?)"]],
    ["IAM_DATADIR", ["IAM_DATADIR (did you mean IAM_DATA_DIR?)"]],
    // Of Kubernetes, for a service called iam.
    ["IAM_SERVICE_HOST", ["IAM_SERVICE_HOST"]],
    ["IAM_PORT_8080_TCP", ["IAM_PORT_8080_TCP"]],
    ["IAMX", []],
    ["iam_port", []],
  ])("are told: %s", (name, expected) => {
    expect(toldOf(name)).toEqual(expected);
  });

  test("are none of those that the service and its commands read", () => {
    const names = Object.values(settings).map(({ name }) => name);
    expect(toldOf(...names, "IAM_COPY_TO")).toEqual([]);
  });

  test("are none of those that the examples read", () => {
    expect(toldOf("IAM_URL", "IAM_TOKEN")).toEqual([]);
  });

  test("are so many, and of more the number", () => {
    const names = Array.from({ length: unknownNamed + 1 }, (_, i) => `IAM_SERVICE_PORT_${100 + i}`);
    expect(toldOf(...names.slice(1))).toEqual(names.slice(1));
    expect(toldOf(...names)).toEqual([...names.slice(0, -1), "and 1 others"]);
  });

  inFull("are told of a start that is refused, too, as its port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const ended = inDirectory(async (directory) => {
      const flags = [`--data-dir=${directory}`, `--port=${port}`];
      const service = startProcess(flags, { env: { IAM_PROT: "0" } });
      expect(await service.ended).toEqual({ code: 1, signal: null });
      expect(service.stderr()).toContain("IAM_PROT (did you mean IAM_PORT?)");
      expect(service.stderr()).toContain("another program listens there");
    });
    await ended.finally(() => taken.close());
  });

  test("stand in one line of the log without what they are set to", async () => {
    await inDirectory(async (directory) => {
      const env = { IAM_SMPT_URL: "smtp://planted", IAM_SERVICE_HOST: "10.0.0.1" };
      const flags = [`--data-dir=${directory}`, "--port=0"];
      const service = startProcess(flags, { env });
      await service.logged("unknown settings");
      await service.listening;
      const written = service.stderr();
      const lines = written.split("\n").filter((line) => line.includes("IAM_SMPT_URL"));
      expect(lines).toHaveLength(1);
      const { level, names, msg } = JSON.parse(lines.join());
      expect([level, msg]).toEqual([40, "unknown settings: see --help"]);
      expect(names).toEqual(["IAM_SERVICE_HOST", "IAM_SMPT_URL (did you mean IAM_SMTP_URL?)"]);
      expect(written).not.toContain("planted");
    });
  });
});
