import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { v7 } from "uuid";
import { createServices } from "./api/services.ts";
import { type Config, ConfigError, flagOf, readConfig, settings } from "./config.ts";
import { instance, instanceId } from "./domain/instance.ts";
import { streamOf } from "./domain/noun.ts";
import { createExecute } from "./execute.ts";
import { makeDataDir, setUp, tokenFile } from "./first-start.ts";
import { defaultLimits } from "./gateway/limits.ts";
import { createGateway } from "./gateway/server.ts";
import { createLog } from "./log.ts";
import { projector } from "./projection.ts";
import { openSqlite } from "./store/sqlite/sqlite.ts";
import { StoreUnavailable } from "./store/store.ts";

/** The command line. It is the only place that chooses implementations. */
async function main(argv: readonly string[]): Promise<void> {
  const [command = "serve", ...flags] = argv[0]?.startsWith("-") ? ["serve", ...argv] : argv;
  if (argv.includes("--help") || command === "help") return say(help());
  if (command !== "serve") throw new ConfigError(`unknown command ${command}: see --help`);
  await serve(readConfig(flags, process.env));
}

async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  // Libraries that still speak to the console are part of the log.
  console.error = (...words: readonly unknown[]) => log.warn({ words: words.map(String) });

  const dataDir = resolve(config.dataDir);
  await makeDataDir(dataDir);
  const now = Date.now;
  const newId = () => v7();
  const store = await openSqlite({ path: join(dataDir, "iam.db"), projector });
  const execute = createExecute(store, now);
  const [existing] = await store.load([streamOf(instance, instanceId)]);
  const isFirst = existing?.version === 0;
  const project = isFirst && (await setUp({ execute, dataDir, newId, random: randomBytes }));

  const services = createServices({ execute, newId, random: randomBytes });
  const limits = { ...defaultLimits, ...config };
  const { corsOrigins } = config;
  const gateway = await createGateway({ services, store, log, now, limits, corsOrigins });

  let stopping = false;
  const stop = async (signal: string) => {
    // Who asks twice does not want to wait.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "stopping");
    await gateway.close();
    await store.close();
    log.info("stopped");
    log.flush();
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);

  const { address, family, port } = await gateway.listen(config.host, config.port);
  const url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
  if (project) say(firstCall(url, join(dataDir, tokenFile), project));
  say(`listening on ${url}`);
}

function firstCall(url: string, tokenPath: string, project: string): string {
  return `This is a new instance. The token of its owner is in ${tokenPath}
Create a first application in another terminal:

  curl ${url}/management/v1/projects/${project}/apps/oidc \\
    --header "authorization: Bearer $(cat ${shellQuoted(tokenPath)})" \\
    --header 'content-type: application/json' \\
    --data '{"name": "My first application", "redirectUris": ["https://app.example.com/callback"]}'
`;
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function help(): string {
  const lines = Object.values(settings).map(
    ({ name, default: value, meaning }) =>
      `  ${flagOf(name).padEnd(22)} ${name.padEnd(24)} ${meaning} [${value}]`,
  );
  return `Usage: node src/main.ts [serve] [flags]

serve (the default) runs the service until SIGTERM or SIGINT.

Each setting is a flag or an environment variable; the default stands in brackets:
${lines.join("\n")}`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof ConfigError || error instanceof StoreUnavailable;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
