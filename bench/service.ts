import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Target } from "./requests.ts";

/** The service in a process of its own, on a log that was empty. */
export interface Service {
  readonly target: Target;
  /** CPU time of all its threads so far, in microseconds: only Linux says. */
  cpuMicros(): Promise<number>;
  /** Where its metrics are, where it has been told to serve them. */
  metricsUrl(): string;
  stop(): Promise<void>;
}

/** Starts the service as users do, and waits until it listens. */
export async function startService(
  dataDir: string,
  flags: readonly string[] = [],
  /** Settings of one who runs the bench are not the service's: these are all. */
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
    cpuMicros: async () => {
      const said = await readFile(`/proc/${service.pid}/stat`, "utf8").catch(() => "");
      // Behind the name, which may have spaces; in ticks, of which a second has 100.
      const [user, system] = said.slice(said.lastIndexOf(")")).split(" ").slice(12, 14);
      return (Number(user) + Number(system)) * 10_000;
    },
    metricsUrl: () => /metrics on (\S+)/.exec(said)?.[1] ?? "",
    stop: async () => {
      service.kill("SIGTERM");
      await gone;
    },
  };
}
