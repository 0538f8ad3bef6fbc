import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { givenHost, reaching } from "../actions/host.ts";
import { ok } from "../fetch/listener.ts";
import { startServer, type TestServer, type TestServerOptions } from "../harness/server.ts";

/** What the service does for `TestAction` besides running the script. */

let server: TestServer;
const given = async (options: TestServerOptions) => {
  server = await startServer(options);
};
beforeEach(() => given({ sandboxLimits: { threads: 2, startMs: 20_000 } }));
afterEach(() => server.close());

interface Tested {
  readonly effects?: readonly { readonly valueJson: string }[];
  readonly problem?: { readonly errorClass: string; readonly message: string };
}

async function testAction(script: string, signal?: AbortSignal): Promise<Tested> {
  const answer = await fetch(`${server.url}/management/v1/actions/_test`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: "greet", script, flowType: "2", triggerType: "4", timeout: "20s" },
    }),
    ...(signal && { signal }),
  });
  return (await answer.json()) as Tested;
}

const telling = (value: string) =>
  `function greet(ctx, api) { api.v1.claims.setClaim("told", ${value}); }`;

test("a run ends, and another gives up its turn, when their callers hang up", async () => {
  const hangUp = new AbortController();
  const left = [testAction("for (;;);", hangUp.signal), testAction("for (;;);", hangUp.signal)];
  const ended = Promise.allSettled(left);
  await pause(1_000);
  hangUp.abort();
  await ended;
  // Were one of them still there, this would not get its turn.
  expect((await testAction(telling("1"))).effects).toMatchObject([{ valueJson: "1" }]);
});

test("a script asks the hosts that the operator names, and no others", async () => {
  await server.close();
  const [named, other] = [await givenHost((socket) => socket.end(ok("hello"))), await givenHost()];
  await given({ fetcher: createFetcher(reaching), actionHosts: [named.host] });
  const asking = (origin: string) =>
    testAction(telling(`require("iam/http").fetch("${origin}").body`));
  expect((await asking(named.origin)).effects).toMatchObject([{ valueJson: '"hello"' }]);
  expect((await asking(other.origin)).problem?.message).toMatch(/IAM_ACTIONS_HTTP/);
  expect(other.connections()).toBe(0);
  await Promise.all([named.close(), other.close()]);
});
