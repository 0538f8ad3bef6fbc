import { once } from "node:events";
import { writeSync } from "node:fs";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { AppendResult, Change, Store } from "../../src/store/store.ts";
import { appendLimits } from "../../src/store/store.ts";
import { append, asking, change, keysOf, things, timeMs } from "./fixture.ts";
import { sealing } from "./keys.ts";

/*
 * A process of its own for sqlite-process.test.ts: node sqlite-child.ts <path> <task> <name>.
 * It prints one JSON text per line, first "waiting", and begins when it reads something.
 */

const [path = "", task = "", name = ""] = process.argv.slice(2);
const workers = 4;

const tasks: { readonly [task: string]: (store: Store) => Promise<void> } = {
  /** One event, to show that the store works. */
  open: async (store) => {
    print(positionsOf(await store.append(append([change(`thing-${name}`, 0)]))));
  },

  /** Each worker writes to a stream of its own and to one for which all processes race. */
  race: async (store) => {
    const own: string[] = [];
    const shared: string[] = [];
    let conflicts = 0;
    await atOnce(async (worker) => {
      for (let version = 0; version < 50; version += 1) {
        own.push(...positionsOf(await store.append(next(`${name}-${worker}`, version))));
        const [current] = await store.load([`shared-${worker}`]);
        const result = await store.append(next(`shared-${worker}`, current?.version ?? 0));
        shared.push(...positionsOf(result));
        conflicts += result.kind === "version-conflict" ? 1 : 0;
      }
    });
    print({ own, shared, conflicts });
  },

  /** Each worker makes one object per append. */
  grow: async (store) => {
    await atOnce(async (worker) => {
      for (let made = 0; made < 100; made += 1) {
        await store.append(next(`${name}-${worker}-${made}`, 0));
      }
    });
  },

  /** Each worker takes claims of one group, relying each time on how many streams hold one. */
  tally: async (store) => {
    const group = { kind: "role", scope: "org-1" };
    const totals: number[] = [];
    await atOnce(async (worker) => {
      for (let taken = 0; taken < 10; ) {
        const { total } = await store.holders(group, 0);
        const stream = `${name}-${worker}-${taken}`;
        const take = [{ ...group, value: stream }];
        const tallies = [{ ...group, total }];
        const result = await store.append(append([change(stream, 0, { take })], { tallies }));
        if (result.kind === "appended") {
          totals.push(total);
          taken += 1;
        }
      }
    });
    print(totals);
  },

  /** Each worker asks for messages that count against one quota. */
  ask: async (store) => {
    const day = { perMs: 86_400_000, isPatient: false };
    const quotas = [{ kind: "sms.number", scope: "", value: "+1", most: 50, ...day }];
    const messages = [{ event: 0, field: "code", quotas }];
    const kinds: string[] = [];
    await atOnce(async (worker) => {
      for (let asked = 0; asked < 10; asked += 1) {
        const changes = [asking(`${name}-${worker}-${asked}`, 0, { messages })];
        kinds.push((await store.append(append(changes))).kind);
      }
    });
    print(kinds);
  },

  /** Leases messages, one at a time, until none is due. */
  lease: async (store) => {
    const leased: string[] = [];
    await atOnce(async () => {
      for (let found = 1; found > 0; ) {
        const query = { nowMs: timeMs, leaseMs: 60_000, limit: 1 };
        const messages = await store.leaseMessages(query);
        leased.push(...keysOf(messages));
        found = messages.length;
      }
    });
    print(leased);
  },

  /** Writes pairs of streams until the process is killed. */
  forever: async (store) => {
    await atOnce(async (worker) => {
      const pair = [`${name}-${worker}-left`, `${name}-${worker}-right`];
      for (let version = 0; ; version += 1) {
        const changes = pair.map((stream) => changeOf(stream, version));
        print(positionsOf(await store.append(append(changes))));
      }
    });
  },

  /** Fills the disk in batches with a refusal in each, until a batch fails, and then closes. */
  fill: async (store) => {
    for (let batch = 0; await writeBatch(store, batch, 16 * 1024); batch += 1);
  },

  /** Writes a batch of more than SQLite keeps in memory, so that the disk is full before COMMIT. */
  overflow: async (store) => {
    await writeBatch(store, 0, appendLimits.textBytes);
  },

  /** Fills the disk to the last page, until the store is not ready, and waits until it is again. */
  ready: async (store) => {
    let version = 0;
    for (let isReady = true; isReady; ) {
      version += await store.append(next("a", version)).then(
        () => 1,
        () => 0,
      );
      isReady = await readyOf(store);
    }
    print("not ready");
    await once(process.stdin, "data");
    while (!(await readyOf(store)));
    print(positionsOf(await store.append(next("a", version))));
  },
};

print("waiting");
await once(process.stdin, "data");
const store = await openSqlite({ path, projector: things(), ...sealing });
await tasks[task]?.(store);
await store.close();
process.stdin.destroy();

/** Written at once: what a killed process has printed, the parent has. */
function print(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function atOnce(work: (worker: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}

async function readyOf(store: Store): Promise<boolean> {
  // One look answers for a while: others have their turn in between.
  await new Promise(setImmediate);
  return store.ready().then(
    () => true,
    () => false,
  );
}

/** Whether all appends of a batch, with payloads of so many bytes, were answered. */
async function writeBatch(store: Store, batch: number, bytes: number): Promise<boolean> {
  const events = [{ type: "thing.added", payload: JSON.stringify("x".repeat(bytes - 2)) }];
  const streams = ["a", "b", "c", "a", "d", "e"].map((letter) => `${letter}-${batch}`);
  const settled = await Promise.allSettled(
    streams.map((stream) => store.append(append([change(stream, 0, { events })]))),
  );
  const kinds = settled.map((each) =>
    each.status === "fulfilled" ? each.value.kind : String(each.reason.name),
  );
  const positions = settled.flatMap((each) =>
    each.status === "fulfilled" ? positionsOf(each.value) : [],
  );
  print({ kinds, positions });
  return settled.every(({ status }) => status === "fulfilled");
}

function changeOf(stream: string, version: number): Change {
  return change(stream, version);
}

function next(stream: string, version: number) {
  return append([changeOf(stream, version)]);
}

function positionsOf(result: AppendResult): string[] {
  return result.kind === "appended" ? result.events.map(({ position }) => `${position}`) : [];
}
