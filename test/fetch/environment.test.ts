import { execFile } from "node:child_process";
import { createServer } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";
import { createCertificate } from "./certificate.ts";
import { listen, ok, start, stop } from "./listener.ts";

/** What Node takes from the environment for all of a process must not change where fetches go. */

const child = join(import.meta.dirname, "fetch-child.ts");
const run = promisify(execFile);

async function fetchInChild(url: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run(process.execPath, [child, url], { env });
  return stdout;
}

inFull("proxies of the environment are not used", async () => {
  const proxy = await listen((socket) => socket.end(ok("the proxy")));
  const server = await listen((socket) => socket.end(ok("the server")));
  const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxy.origin, http_proxy: proxy.origin };
  expect(await fetchInChild(server.origin, env)).toBe("the server");
  expect(proxy.connections()).toBe(0);
  await proxy.close();
  await server.close();
});

test("certificates are checked even where the environment says not to", async () => {
  const server = createServer(createCertificate(["localhost"]), (_, response) => response.end("a"));
  const port = await start(server);
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const fetching = fetchInChild(`https://localhost:${port}/`, env);
  await expect(fetching).rejects.toMatchObject({
    stderr: expect.stringContaining("DEPTH_ZERO_SELF_SIGNED_CERT"),
  });
  await stop(server);
});
