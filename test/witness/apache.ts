import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram } from "../harness/program.ts";
import { listens } from "./listens.ts";

/** Where Debian has the modules of Apache, and the one that makes a relying party of it. */
const modules = "/usr/lib/apache2/modules";

/** The program, where it and the module are installed. */
export function findApache(): string | undefined {
  const { PATH = "" } = process.env;
  const program = findProgram(["apache2"], { PATH: `${PATH}:/usr/sbin` });
  return existsSync(join(modules, "mod_auth_openidc.so")) ? program : undefined;
}

/** Apache as a relying party. */
export interface Apache {
  /** What it complained of so far. */
  errors(): Promise<string>;
  close(): Promise<void>;
}

/** What Apache is to know. */
export interface ApacheOptions {
  /** A directory of its own, which it may write to. */
  readonly directory: string;
  readonly port: number;
  /** Lines of its configuration about the provider. */
  readonly provider: readonly string[];
  /** The text of each page by its path; what is echoed there is put in by the server. */
  readonly pages: { readonly [path: string]: string };
}

/** Nobody in particular, whom Apache runs as where the tests run as root. */
const nobody = 65_534;

/** Starts Apache for one who may do little; resolves when it listens. */
export async function startApache(options: ApacheOptions): Promise<Apache> {
  const { directory, port, pages } = options;
  const program = findApache();
  if (program === undefined) throw new Error("there is no Apache with mod_auth_openidc");
  const site = join(directory, "site");
  for (const [path, text] of Object.entries(pages)) {
    await mkdir(join(site, path, ".."), { recursive: true });
    await writeFile(join(site, path), text);
  }
  const configuration = join(directory, "apache.conf");
  await writeFile(configuration, configurationOf(options, site));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, nobody, nobody);
  const child = spawn(program, ["-D", "FOREGROUND", "-d", directory, "-f", configuration], {
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
    env: { PATH: process.env.PATH, TMPDIR: directory },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const errors = async () =>
    said + (await readFile(join(directory, "error.log"), "utf8").catch(() => ""));
  const ended = once(child, "close");
  const early = ended.then(async ([code]) => {
    throw new Error(`Apache ended with ${code}: ${await errors()}`);
  });
  early.catch(() => {});
  await Promise.race([early, listens(port)]);
  return {
    errors,
    close: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function configurationOf({ directory, port, provider }: ApacheOptions, site: string): string {
  const load = (name: string) => `LoadModule ${name}_module ${modules}/mod_${name}.so`;
  const names = ["mpm_event", "authn_core", "authz_core", "authz_user", "auth_openidc", "include"];
  return [
    ...names.map(load),
    `Listen 127.0.0.1:${port}`,
    ...[`ServerName localhost:${port}`, `PidFile ${directory}/pid`],
    ...[`DefaultRuntimeDir ${directory}`, `Mutex file:${directory}`],
    ...[`ErrorLog ${directory}/error.log`, `DocumentRoot ${site}`],
    // As few processes as there may be: one person comes.
    ...["StartServers 1", "ServerLimit 1", "ThreadsPerChild 8", "MaxRequestWorkers 8"],
    "MinSpareThreads 1",
    "AddDefaultCharset utf-8",
    "DefaultType none",
    ...provider,
    `<Directory ${site}>`,
    ...["Options +IncludesNoExec", "SetOutputFilter INCLUDES", "ForceType text/html"],
    "</Directory>",
    ...["<Location /protected>", "AuthType openid-connect", "Require valid-user", "</Location>"],
    "",
  ].join("\n");
}
