import { createSecretKey, randomBytes } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import { createRandom } from "../src/secrets/random.ts";
import { createCheck, createSeal } from "../src/store/chain/chain.ts";
import { firstLink } from "../src/store/chain/link.ts";
import { createStateMac } from "../src/store/chain/state.ts";
import { prepareEnd } from "../src/store/sqlite/end.ts";
import { floor, migrate } from "../src/store/sqlite/schema.ts";
import { answerParent } from "./child.ts";

/**
 * What the disk and SQLite allow when nothing else is done: the rows of one AddAPIApp (two events,
 * two claims, one object with one field), with as many commands per commit as asked for. The tables
 * are those of the floor of upgrades, so that figures of one version can be held against another's.
 * The first argument is a directory.
 */
const [, , directory = "bench/out"] = process.argv;
const db = new Database(join(directory, "bare.db"));
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.transaction(() => migrate(db, floor)).immediate();

db.prepare("INSERT INTO head VALUES ('bench', 0, ?)").run(firstLink);
const key = createSecretKey(randomBytes(32));
const end = prepareEnd(db, {
  seal: createSeal({ id: "bench", key }, createRandom(randomBytes)),
  check: createCheck({ id: "bench", key }),
});
const macOf = createStateMac({ id: "bench", key });
const claim = db.prepare("INSERT INTO claims (kind, scope, value, stream) VALUES (?, ?, ?, ?)");
const object = db.prepare(
  `INSERT INTO objects
     (first, stream, version, owner, kind, parent, fields, created, changed, position, state,
      mac)
   VALUES (?, ?, 2, ?, 'app', ?, ?, ?, ?, ?, ?, ?)`,
);
const field = db.prepare(
  "INSERT INTO fields (kind, parent, name, folded, first, exact) " +
    "VALUES ('app', ?, 'name', ?, ?, ?)",
);
const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");

const project = "019a0000-0000-7000-8000-000000000000";
const hash = "0123456789abcdef".repeat(4);
let serial = 0;

function insertApp(): void {
  serial += 1;
  const id = `019a0000-0000-7000-8000-${String(serial).padStart(12, "0")}`;
  const stream = `app-${id}`;
  const name = `bench application ${id.slice(-12)}`;
  const nowMs = Date.now();
  const added = JSON.stringify({ projectId: project, name });
  const config = { clientId: id, clientSecretHash: hash, authMethod: "BASIC" };
  const state = JSON.stringify({ projectId: project, name, config: { kind: "api", ...config } });
  const type = "project.application";
  const known = { stream, owner: project, actor: project, timeMs: nowMs };
  const events = end.record([
    { ...known, version: 1, type: `${type}.added`, payload: added },
    { ...known, version: 2, type: `${type}.config.api.added`, payload: JSON.stringify(config) },
  ]);
  const [from = 0n, to = 0n] = events.map(({ position }) => position);
  claim.run("app.name", project, name, stream);
  claim.run("app.client", "", id, stream);
  const fields = JSON.stringify({ name });
  const times = { createdMs: nowMs, changedMs: nowMs };
  const written = { stream, version: 2, owner: project, state, position: to, ...times };
  const mac = macOf(written, { first: from, kind: "app", parent: project, fields });
  object.run(from, stream, project, project, fields, nowMs, nowMs, to, state, mac);
  field.run(project, name, from, name);
}

const answers = {
  /** Commands per second. */
  run: ({ perCommit, forMs }: { readonly perCommit: number; readonly forMs: number }) => {
    const latencies: number[] = [];
    const started = performance.now();
    let ended = started;
    while (ended - started < forMs) {
      const from = ended;
      begin.run();
      end.take();
      for (let command = 0; command < perCommit; command += 1) insertApp();
      end.save();
      commit.run();
      end.keep();
      ended = performance.now();
      latencies.push(ended - from);
    }
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? 0;
    const rate = ((latencies.length * perCommit) / (ended - started)) * 1000;
    return { rate, p50Ms: at(0.5), p99Ms: at(0.99) };
  },
};

/** What can be asked of the process of bare appends. */
export type AppendsAnswers = typeof answers;

answerParent(answers, () => {
  db.close();
});
