import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { v7 } from "uuid";
import { app } from "../src/domain/app/app.ts";
import { addAPIApp } from "../src/domain/app/create.ts";
import { streamOf } from "../src/domain/noun.ts";
import { project } from "../src/domain/project.ts";
import { createExecute } from "../src/execute/execute.ts";
import { createKeyring } from "../src/secrets/keyring.ts";
import { loadOrCreateKeyFile } from "../src/secrets/keys.ts";
import { setUp } from "../src/start/first-start.ts";
import { checkKeyring } from "../src/start/master-key.ts";
import { projector } from "../src/start/projector.ts";
import { openSqlite } from "../src/store/sqlite/sqlite.ts";
import { type Spread, spreadOf } from "./results.ts";
import type { Size } from "./sizes.ts";

/** Starts the service as users do, several times on each store, and stops it again. */
export async function measureStarts(
  directory: string,
  { starts, storedEvents }: Pick<Size, "starts" | "storedEvents">,
): Promise<{ readonly [store: string]: Spread }> {
  const full = join(directory, "full");
  await fill(full, storedEvents);
  const empty: number[] = [];
  const filled: number[] = [];
  for (let time = 0; time < starts; time += 1) {
    empty.push(await startOnce(join(directory, `empty-${time}`)));
    filled.push(await startOnce(full));
  }
  const fullStore = `${storedEvents.toLocaleString("en")} events`;
  return { "an empty store": spreadOf(empty), [fullStore]: spreadOf(filled) };
}

/** Makes a store of applications, two events each, by the way that commands take. */
async function fill(dataDir: string, storedEvents: number): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const store = await openSqlite({ path: join(dataDir, "iam.db"), projector });
  const execute = createExecute(store, Date.now);
  const projectId = await setUp({ execute, dataDir, newId: () => v7(), random: randomBytes });
  if (projectId === undefined) throw new Error(`${dataDir} is in use already`);
  const keys = await loadOrCreateKeyFile(dataDir, randomBytes);
  await checkKeyring(createKeyring(keys, randomBytes), store, execute);
  const [projectObject] = await store.load([streamOf(project, projectId)]);
  const organization = projectObject?.owner ?? "";

  const add = (serial: number) => {
    const names = { name: `application ${serial}`, clientId: v7(), clientSecretHash: "" };
    return execute({
      actor: "bench",
      writes: { app: { noun: app, id: v7(), owner: organization } },
      relies: { project: { noun: project, id: projectId } },
      decide: (states) =>
        addAPIApp(states, { organization, projectId, ...names }, "PRIVATE_KEY_JWT"),
    });
  };
  const batch = 1_000;
  for (let from = 0; from < storedEvents / 2; from += batch) {
    const outcomes = await Promise.all(Array.from({ length: batch }, (_, n) => add(from + n)));
    const other = outcomes.find(({ kind }) => kind !== "done");
    if (other !== undefined) throw new Error(`the store was not filled: ${JSON.stringify(other)}`);
  }
  await store.close();
}

async function startOnce(dataDir: string): Promise<number> {
  const main = resolve(import.meta.dirname, "../src/main.js");
  const started = performance.now();
  const service = spawn(
    process.execPath,
    [main, "serve", "--port", "0", "--data-dir", dataDir],
    // Settings of whoever runs the bench are not the service's defaults.
    { env: {}, stdio: ["ignore", "pipe", "pipe"] },
  );
  let logged = "";
  service.stderr.on("data", (chunk) => {
    logged += chunk;
  });
  let said = "";
  for await (const chunk of service.stdout) {
    said += chunk;
    if (said.includes("listening on")) break;
  }
  const elapsedMs = performance.now() - started;
  if (!said.includes("listening on")) throw new Error(`the service did not start: ${logged}`);
  const gone = once(service, "exit");
  service.kill("SIGTERM");
  await gone;
  return elapsedMs;
}
