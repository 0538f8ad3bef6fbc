import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { describeMachine } from "./machine.ts";
import { type SizeName, sizeNamed, sizes, sizeUsage } from "./sizes.ts";
import { table } from "./table.ts";

const usage = `Usage: node bench/users.ts [--size SIZE] [--dir DIR]

Imports many people with examples/import-users.ts into a server of its own and measures
reading them: ${sizes.full.users.toLocaleString("en")} in the full size, about three minutes.

${sizeUsage}
  --dir DIR       where the data lies while it runs, on a disk [bench/out]`;

const { values: flags } = parseArgs({
  options: {
    size: { type: "string", default: "full" },
    dir: { type: "string", default: join(import.meta.dirname, "out") },
    help: { type: "boolean", default: false },
  },
});

/** How often each read is measured. */
const repetitions = 20;
const root = resolve(import.meta.dirname, "..");
const search = "/management/v1/users/_search";

if (flags.help) console.log(usage);
else await main(sizeNamed(flags.size));

async function main(size: SizeName): Promise<void> {
  const { users } = sizes[size];
  await mkdir(flags.dir, { recursive: true });
  const directory = await mkdtemp(join(resolve(flags.dir), "users-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const csv = join(directory, "people.csv");
  await writePeople(csv, users);

  const dataDir = join(directory, "data");
  const service = await startService(dataDir);
  try {
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    const call = caller(service.url, token);
    const machine = await describeMachine(directory, size);
    console.log(
      `${machine.at}, commit ${machine.commit}, ${machine.cores} cores of ${machine.cpu}`,
    );
    const sampled = sampleMemory(service.pid);
    const seconds = await importPeople(csv, service.url, token);
    const memory = sampled.end();
    const file = await stat(join(dataDir, "iam.db"));
    console.log(
      `imported ${users} users in ${seconds.toFixed(1)} s: ${Math.round(users / seconds)}/s`,
    );
    console.log(`iam.db: ${mebi(file.size)}, ${Math.round(file.size / users)} bytes a user`);
    console.log(`resident memory of the server, one sample in 5 s (MiB): ${memory.join(" ")}`);
    console.log(table(["read", "median ms", "slowest ms"], await measureReads(call, users)));
    console.log(`resident after reading (MiB): ${await residentOf(service.pid)}`);
  } finally {
    service.stop();
  }
}

type Call = (path: string, body?: object) => Promise<Answer>;

interface Answer {
  readonly result?: readonly { readonly id: string }[];
  readonly details?: { readonly totalResult?: string };
}

async function measureReads(call: Call, total: number): Promise<string[][]> {
  const last = { offset: String(total - 100), limit: 100, asc: true };
  const first = { limit: 100, asc: true };
  const byName = { sortingColumn: "USER_FIELD_NAME_DISPLAY_NAME" };
  const named = (displayName: string, method: string) => ({
    query: first,
    queries: [{ displayNameQuery: { displayName, method: `TEXT_QUERY_METHOD_${method}` } }],
  });
  const middle = await call(search, { query: { offset: String(Math.floor(total / 2)), limit: 1 } });
  const id = middle.result?.[0]?.id ?? "";
  const reads: { readonly [name: string]: () => Promise<Answer> } = {
    "first page of 100": () => call(search, { query: first }),
    "last page of 100": () => call(search, { query: last }),
    "first page of 100, by name": () => call(search, { query: first, ...byName }),
    "last page of 100, by name": () => call(search, { query: last, ...byName }),
    "name equals": () => call(search, named(`Person Number ${total - 1}`, "EQUALS_IGNORE_CASE")),
    "name starts with (a ninth matches)": () =>
      call(search, named("person number 9", "STARTS_WITH_IGNORE_CASE")),
    "name contains (a scan of one index)": () =>
      call(search, named("NUMBER 4242", "CONTAINS_IGNORE_CASE")),
    "one user by id": () => call(`/management/v1/users/${id}`),
  };
  const rows: string[][] = [];
  for (const [name, read] of Object.entries(reads)) {
    const times: number[] = [];
    for (let time = 0; time < repetitions; time += 1) {
      const startMs = performance.now();
      await read();
      times.push(performance.now() - startMs);
    }
    times.sort((a, b) => a - b);
    rows.push([name, ...[times[repetitions / 2], times.at(-1)].map((ms) => ms?.toFixed(1) ?? "")]);
  }
  return rows;
}

async function writePeople(file: string, total: number): Promise<void> {
  const out = createWriteStream(file);
  out.write("userName,firstName,lastName,email,emailVerified,preferredLanguage\n");
  for (let serial = 0; serial < total; serial += 1) {
    const line = `person-${serial},Person,Number ${serial},person-${serial}@example.com,true,en\n`;
    if (!out.write(line)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
}

async function startService(dataDir: string) {
  const child = spawn(process.execPath, [join(root, "src/main.js"), "--port", "0"], {
    cwd: root,
    env: { ...process.env, IAM_DATA_DIR: dataDir, IAM_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    said += text;
    const [, url] = /listening on (\S+)/.exec(said) ?? [];
    if (url !== undefined) return { url, pid: child.pid ?? 0, stop: () => child.kill("SIGTERM") };
  }
  throw new Error("the service did not start");
}

async function importPeople(csv: string, url: string, token: string): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [join(root, "examples/import-users.ts"), csv], {
    env: { ...process.env, IAM_URL: url, IAM_TOKEN: token },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return (performance.now() - startMs) / 1_000;
}

function caller(url: string, token: string): Call {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return async (path, body) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url + path, { headers, ...init });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Answer;
  };
}

function sampleMemory(pid: number): { end(): readonly number[] } {
  const samples: number[] = [];
  const sampling = (async () => {
    for (;;) {
      samples.push(await residentOf(pid));
      await pause(5_000, undefined, { ref: false });
    }
  })();
  sampling.catch(() => {});
  return { end: () => [...samples] };
}

/** The resident memory of a process in MiB; 0 where the system does not say (Linux does). */
async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
}

function mebi(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}
