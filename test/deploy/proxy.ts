import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Certificate } from "../../src/port/tls.ts";
import { startExample } from "../examples/example.ts";
import { listens } from "../witness/listens.ts";
import { find, type ProgramName } from "./programs.ts";

/** A proxy as `deploy/proxy` configures it. */
export interface Proxy {
  readonly name: ProgramName;
  /** Starts it before the services on these ports; resolves when it listens. */
  start(site: Site): Promise<Running>;
}

/** Where a proxy stands in a test. */
interface Site {
  /** A directory of its own. */
  readonly directory: string;
  readonly port: number;
  readonly services: readonly [one: number, two: number];
  readonly certificate: Certificate;
}

interface Running {
  close(): Promise<void>;
}

/** How a proxy is started on a configuration, and what of the file is another in a test. */
interface Kind {
  readonly program: ProgramName;
  readonly file: string;
  args(configuration: string, directory: string): readonly string[];
  adapt(text: string, site: Site): string;
}

const kinds: readonly Kind[] = [
  {
    program: "nginx",
    file: "nginx.conf",
    args: (configuration, directory) => ["-e", "stderr", "-p", directory, "-c", configuration],
    adapt: (text, { directory, port }) =>
      `daemon off; pid ${directory}/pid; error_log stderr; events {} http { access_log off;
      ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${directory}/${name};`)
        .join(" ")}
      ${text
        .replace("listen 443 ", `listen 127.0.0.1:${port} `)
        .replace(/\n {2}listen \[::\]:443 .*/, "")
        .replace(/\nserver \{\n {2}listen 80;.*?\n\}/s, "")}}`,
  },
  {
    program: "caddy",
    file: "Caddyfile",
    args: (configuration) => ["run", "--adapter", "caddyfile", "--config", configuration],
    adapt: (text, { port }) =>
      text
        .replace("grace_period 10s", "grace_period 1s\n\tadmin off\n\tauto_https disable_redirects")
        .replace("\niam.example.com {", `\nhttps://localhost:${port} {`),
  },
  {
    program: "haproxy",
    file: "haproxy.cfg",
    args: (configuration) => ["-db", "-f", configuration],
    adapt: (text, { port }) => text.replace("bind :443 ", `bind 127.0.0.1:${port} `),
  },
];

/** The proxies that there are configurations for. */
export const proxies: readonly Proxy[] = kinds.map((kind) => ({
  name: kind.program,
  start: (site) => start(kind, site),
}));

async function start({ program, file, args, adapt }: Kind, site: Site): Promise<Running> {
  const { directory, port, services, certificate } = site;
  const pems = join(directory, "tls");
  await mkdir(pems);
  await writeFile(join(pems, "cert.pem"), certificate.cert);
  await writeFile(join(pems, "key.pem"), certificate.key);
  await writeFile(join(pems, "both.pem"), certificate.cert + certificate.key);
  const text = await readFile(join(import.meta.dirname, "../../deploy/proxy", file), "utf8");
  const configuration = join(directory, file);
  const here = adapt(text, site)
    .replaceAll("/etc/ssl/iam", pems)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${services[0]}`)
    .replaceAll("127.0.0.1:8081", `127.0.0.1:${services[1]}`);
  await writeFile(configuration, here);
  const env = { HOME: directory };
  const running = startExample([find(program) ?? program, ...args(configuration, directory)], {
    env,
  });
  const early = running.ended.then((code) => {
    throw new Error(`${program} ended with ${code}: ${running.stderr()}`);
  });
  await Promise.race([early, listens(port)]);
  return {
    close: async () => {
      running.kill("SIGTERM");
      await running.ended;
    },
  };
}
