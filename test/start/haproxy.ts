import { spawn } from "node:child_process";
import { once } from "node:events";
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

function configurationOf(port: number, nodes: readonly number[]): string {
  const servers = (more: (name: string) => string) =>
    nodes.map((node) => `  server n${node} 127.0.0.1:${node} ${more(`n${node}`)}`).join("\n");
  return `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  option redispatch
frontend all
  bind 127.0.0.1:${port}
  use_backend grpc if { req.hdr(content-type) -m beg application/grpc }
  default_backend http1
backend http1
  option httpchk GET /readyz
  default-server check inter 100 fall 1 rise 1
${servers(() => "")}
backend grpc
${servers((name) => `proto h2 track http1/${name}`)}
`;
}
