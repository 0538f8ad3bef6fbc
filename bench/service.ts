import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Target } from "./requests.ts";

/** The service in a process of its own, on a log that was empty. */
export interface Service {
  readonly target: Target;
  stop(): Promise<void>;
}

/** Starts the service as users do, and waits until it listens. */
export async function startService(
  dataDir: string,
  flags: readonly string[] = [],
  /** Settings of whoever runs the bench are not the service's: these are all. */
  env: { readonly [name: string]: string } = {},
): Promise<Service> {
  const main = resolve(import.meta.dirname, "../src/main.js");
  const service = spawn(
    process.execPath,
    [main, "serve", "--port=0", `--data-dir=${dataDir}`, ...flags],
    { env, stdio: ["ignore", "pipe", "ignore"] },
  );
  const gone = once(service, "exit");
  let said = "";
  const listening = new Promise<void>((done) => {
    service.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("listening on")) done();
    });
  });
  await Promise.race([listening, gone]);
  const [, project] = /\/projects\/([\w-]+)\/apps/.exec(said) ?? [];
  const [, port] = /listening on http:\/\/[^:]+:(\d+)/.exec(said) ?? [];
  if (project === undefined || port === undefined) throw new Error("the service did not start");
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  return {
    target: { port: Number(port), token, project },
    stop: async () => {
      service.kill("SIGTERM");
      await gone;
    },
  };
}
