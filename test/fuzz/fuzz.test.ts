import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { projector } from "../../src/log/projector.ts";
import { verifySqlite } from "../../src/store/sqlite/verify/verify.ts";
import { isFull } from "../harness/extent.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { startServer, type TestServer, type TestServerOptions } from "../harness/server.ts";
import { fuzzProcess } from "./process.ts";
import { type FuzzTarget, fuzz } from "./run.ts";

// What no client would send is refused with a reason, or answered: "make fuzz" has all of it.

const seed = 1;
const requests = isFull ? 10_000 : 40;
const running: TestServer[] = [];

afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startServer({
    limits: { requestTimeoutMs: 500, stopGraceMs: 500 },
    ...options,
  });
  running.push(server);
  return server;
}

function targetOf({ url, port, admin }: TestServer): FuzzTarget {
  return { url, port, owner: admin.token };
}

const defects = ({ logged }: TestServer) => logged().filter((line) => JSON.parse(line).level >= 50);

test(`${requests} requests of seed ${seed} find no defect`, async () => {
  if (isFull) {
    const { failures, errors, exitCodes } = await fuzzProcess({ seed, requests });
    expect({ failures, errors, exitCodes }).toEqual({
      failures: [],
      errors: [],
      exitCodes: [0, 0],
    });
    return;
  }
  const server = await start();
  const { failures, outcomes } = await fuzz(targetOf(server), { seed, requests });
  expect(failures).toEqual([]);
  expect(defects(server)).toEqual([]);
  expect(outcomes.size).toBeGreaterThan(10);
  // About one in ten is answered; of so few, chance says how many.
  expect(outcomes.get("OK")).toBeGreaterThan(0);
  const damages: string[] = [];
  const path = join(server.dataDir, "iam.db");
  await verifySqlite({ path, projector, ...sealingIn(server.dataDir) }, (damage) =>
    damages.push(damage),
  );
  expect(damages).toEqual([]);
}, 600_000);

const planted = () => {
  throw new TypeError("planted");
};

test("a defect is found, and found again by its number", async () => {
  const server = await start({
    fetcher: { ...createFetcher({ allow: [] }), fetch: planted },
  });
  const target = targetOf(server);
  const about = "AddSAMLApp";
  const { failures } = await fuzz(target, { seed, requests: 500, about, failuresMax: 1 });
  const { serial, title, problem } = failures[0]!;
  expect(problem).toBe("an internal error");
  expect(title).toContain(about);
  expect(defects(server)).not.toEqual([]);
  const again = await fuzz(target, { seed, from: serial, requests: 1, about });
  expect(again.failures).toMatchObject([{ serial, title, problem }]);
});
