import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { erasurePlacesOf } from "../../src/log/erasure-places.ts";
import { anchorOf } from "../../src/log/head-places.ts";
import { logsTo } from "../../src/start/logger.ts";
import { type Running, serve } from "../../src/start/serve.ts";
import { parseHead } from "../../src/store/chain/head.ts";
import { few } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../notify/receiver.ts";
import { createWatch, type Watch } from "../notify/watch.ts";
import { leave, refusalOf, run } from "../start/command.ts";

// A webhook that keeps heads, as its operator has it: a real server, which may be out of order.

let watch: Watch;
let webhook: Receiver;
let newest: string;
let get: (response: ServerResponse) => void;
let post: (response: ServerResponse) => void;

const answering = (status: number, text = "") => {
  return (response: ServerResponse) => void response.writeHead(status).end(text);
};
const never = () => {};
const posts = () => webhook.calls.filter(({ method }) => method === "POST");
const newestPosition = () => parseHead(newest)?.position ?? 0n;

beforeEach(async () => {
  watch = createWatch();
  newest = "";
  get = (response) => void response.end(newest);
  post = answering(200);
  webhook = await startReceiver(watch, ({ method, body }, response) => {
    if (method === "POST" && post !== never) newest = body;
    (method === "POST" ? post : get)(response);
  });
});
afterEach(() => webhook.close());

const argsOf = (dataDir: string) => [
  "--port=0",
  `--data-dir=${dataDir}`,
  `--anchor-url=${webhook.url}`,
];

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly place?: string;
  readonly why?: string;
}

interface Served extends Running {
  readonly dataDir: string;
  /** The lines about its anchor. */
  lines(): readonly Line[];
}

async function startIn(dataDir: string): Promise<Served> {
  const lines: Line[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const running = await serve(readConfig(argsOf(dataDir), {}), logsTo(stream, "info"));
  const close = () => leave().then(running.close);
  return {
    ...running,
    close,
    dataDir,
    lines: () => lines.filter(({ place }) => place === "the anchor"),
  };
}

async function create({ url, dataDir }: Served, name: string): Promise<number> {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const response = await fetch(`${url}/management/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  return response.status;
}

async function readyOf({ url }: Served) {
  const response = await fetch(`${url}/readyz`);
  const { anchorLagEvents, warnings } = (await response.json()) as {
    readonly anchorLagEvents: number;
    readonly warnings: readonly string[];
  };
  return { status: response.status, anchorLagEvents, warnings };
}

/** Serves until the webhook has the head of one more project. */
async function lived(dataDir: string): Promise<void> {
  const served = await startIn(dataDir);
  expect(await create(served, "Before")).toBe(200);
  await served.close();
}

test("a webhook gets every end of the log, and the last one when the service stops", async () => {
  await inDirectory(async (dataDir) => {
    const served = await startIn(dataDir);
    await watch.until(() => newestPosition() > 0n);
    expect(await create(served, "One")).toBe(200);
    await served.close();
    expect(newestPosition()).toBe(10n);
    const { link } = parseHead(await readFile(join(dataDir, "iam.head"), "utf8"))!;
    expect(parseHead(newest)?.link).toEqual(link);
    const [{ headers }] = posts() as [(typeof webhook.calls)[number]];
    expect(headers["content-type"]).toBe("application/json");
    expect(served.lines()).toEqual([]);
  });
});

describe("a webhook that does not take heads", () => {
  few().each<readonly [what: string, answer: (response: ServerResponse) => void, why: string]>([
    ["fails", answering(500), "it answered 500"],
    ["knows none", answering(404, "no such page"), "it answered 404"],
    [
      "sends elsewhere",
      (response) => void response.writeHead(307, { location: "/b" }).end(),
      "it answered 307",
    ],
    ["breaks off", (response) => void response.destroy(), "it does not answer"],
  ])(
    "because it %s refuses no write, shows in /readyz and is told once",
    async (_what, answer, why) => {
      await inDirectory(async (dataDir) => {
        post = answer;
        const served = await startIn(dataDir);
        await watch.until(() => posts().length > 0);
        for (const name of ["One", "Two"]) expect(await create(served, name)).toBe(200);
        let ready = await readyOf(served);
        while (ready.warnings.length === 0) ready = await readyOf(served);
        expect(ready).toEqual({
          status: 200,
          anchorLagEvents: 11,
          warnings: [`The head of the log cannot be stored in the anchor: ${why}.`],
        });
        await served.close();
        expect(served.lines()).toMatchObject([
          { level: 50, msg: "the head cannot be stored outside of the log", why },
        ]);
      });
    },
  );

  test("because it never answers holds up neither start nor writes", async () => {
    await inDirectory(async (dataDir) => {
      post = never;
      const served = await startIn(dataDir);
      await watch.until(() => posts().length > 0);
      expect(await create(served, "One")).toBe(200);
      expect(await readyOf(served)).toMatchObject({ status: 200, anchorLagEvents: 10 });
      post = answering(200);
      await webhook.close();
      await served.close();
      webhook = await startReceiver(watch);
    });
  });

  test("in time is given up", async () => {
    [get, post] = [never, never];
    const anchor = anchorOf(webhook.url, randomBytes, 20);
    await expect(anchor.write("a head")).rejects.toThrow(/^it does not answer$/);
    await expect(anchor.read()).rejects.toThrow(/^it does not answer$/);
  });
});

describe("a webhook that does not say which head it has", () => {
  const skipped = "the log was not compared with the head there";

  few().each<readonly [what: string, answer: (response: ServerResponse) => void, why: string]>([
    ["takes heads only", answering(405), "it answered 405"],
    ["has none", answering(204), "it is missing or empty"],
    ["says something else", answering(200, "it is well"), "its answer is not a head"],
    ["breaks off", (response) => void response.destroy(), "it does not answer"],
  ])("because it %s is skipped, which one line says, and verify", async (_what, answer, why) => {
    await inDirectory(async (dataDir) => {
      await lived(dataDir);
      get = answer;
      const served = await startIn(dataDir);
      const ofHeads = served.lines().filter(({ msg }) => msg.includes("log"));
      expect(ofHeads).toMatchObject([{ level: 40, msg: skipped, why }]);
      await served.close();
      const { code, stdout } = await run(["verify", ...argsOf(dataDir).slice(1)]);
      expect(stdout).toMatch(
        new RegExp(`^The log was not compared with the head in the anchor: ${why}\\.$`, "m"),
      );
      expect(code).toBe(0);
    });
  });

  test("but has one that the log does not go on from is believed", async () => {
    await inDirectory(async (dataDir) => {
      await lived(dataDir);
      newest = JSON.stringify({ ...JSON.parse(newest), position: "99" });
      expect(await refusalOf(argsOf(dataDir))).toMatch(
        /it ends at position 10, and had 99 at .+ \(the anchor\)/,
      );
    });
  });
});

test("a list of erasures that is too long is an error, and no part of one", async () => {
  const listed = (text: string) => (response: ServerResponse) =>
    void response.writeHead(200, { "content-type": "application/x-ndjson" }).end(text);
  const [, place] = erasurePlacesOf(webhook.url, "unused", 100);
  get = listed("x".repeat(100));
  expect(await place?.read()).toBe("x".repeat(100));
  get = listed("x".repeat(101));
  await expect(place?.read()).rejects.toThrow("its list is too long");
});
