import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../harness/program.ts";
import { listens } from "../witness/listens.ts";

/** The program, where it is installed. */
export function findHaproxy(): string | undefined {
  return findProgram(["haproxy"], { PATH: `${process.env.PATH}:/usr/sbin` });
}

/** A balancer between callers and nodes. */
export interface Balancer {
  close(): Promise<void>;
}

interface BalancerOptions {
  /** Where its configuration is written. */
  readonly directory: string;
  readonly port: number;
  /** The ports of the nodes. */
  readonly nodes: readonly number[];
}

/** Starts HAProxy before nodes of this machine, which it asks for /readyz, until it listens. */
export async function startHaproxy({ directory, port, nodes }: BalancerOptions): Promise<Balancer> {
  const program = findHaproxy();
  if (program === undefined) throw new Error("there is no HAProxy");
  const configuration = join(directory, "haproxy.cfg");
  await writeFile(configuration, configurationOf(port, nodes));
  const child = spawn(program, ["-f", configuration, "-db"], { stdio: "ignore" });
  const ended = once(child, "close");
  const early = ended.then(([code]) => {
    throw new Error(`HAProxy ended with ${code}`);
  });
  early.catch(() => {});
  await Promise.race([early, listens(port)]);
  return {
    close: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** What `deploy` has for two nodes, in cleartext, and with probes that are soon over. */
function configurationOf(port: number, nodes: readonly number[]): string {
  const text = readFileSync(join(import.meta.dirname, "../../deploy/proxy/haproxy.cfg"), "utf8");
  return text
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${nodes[0]}`)
    .replaceAll("127.0.0.1:8081", `127.0.0.1:${nodes[1]}`);
}
