import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import { app } from "../../src/domain/app/app.ts";
import { addAPIApp } from "../../src/domain/app/create.ts";
import { addOrg, org } from "../../src/domain/org.ts";
import { addProject, project } from "../../src/domain/project.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import { createRandom } from "../../src/secrets/random.ts";
import { afterAppend } from "../../src/store/after-append.ts";
import { createFeed } from "../../src/store/feed.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { sealing } from "../../test/store/keys.ts";
import { answerParent } from "../child.ts";
import { keepInFlight, type Waiting } from "./waiting.ts";

/**
 * A node without its gateway: execute and the feed on a log in PostgreSQL. The first argument is
 * the URL of the database, the second the name of this node, and the third by how much its revision
 * is that of a later program.
 */
const [, , url = "", name = "", later = "0"] = process.argv;
const random = createRandom(randomBytes);
const own = { ...projector, revision: projector.revision + Number(later) };
const opened = await openPostgres({ url, projector: own, keys: sealing.keys, random });
const feed = createFeed(opened);
const store = afterAppend(opened, () => feed.wake());
const execute = createExecute(store, Date.now);

const [organization, projectId] = [v7(), v7()];
const input = {
  ...{ name, projectRoleAssertion: false, projectRoleCheck: false, hasProjectCheck: false },
  privateLabelingSetting: "UNSPECIFIED" as const,
};
// A command looks for the organization each time as long as there is none.
await execute({
  actor: name,
  writes: { org: { noun: org, id: organization, owner: organization, isNew: true } },
  decide: () => addOrg({ name }),
});
await execute({
  actor: name,
  writes: { project: { noun: project, id: projectId, owner: organization, isNew: true } },
  decide: () => addProject(input),
});

/** What AddAPIApp does; answers the position of its last event. */
async function addApp(): Promise<bigint> {
  const id = v7();
  const named = { name: `application ${id}`, clientId: v7(), clientSecretHash: "" };
  const outcome = await execute({
    actor: name,
    writes: { app: { noun: app, id, owner: organization, isNew: true } },
    relies: { project: { noun: project, id: projectId } },
    decide: (states) => addAPIApp(states, { organization, projectId, ...named }, "PRIVATE_KEY_JWT"),
    answer: ({ position }) => position,
  });
  if (outcome.kind !== "done") throw new Error(`it was refused: ${JSON.stringify(outcome)}`);
  return outcome.answer;
}

/** An event, and when somebody had it, in Unix milliseconds with a fraction. */
export type Had = readonly [position: bigint, atMs: number];

let watching: { readonly over: AbortController; readonly seen: Promise<readonly Had[]> };

async function follow(from: bigint, { signal }: AbortController): Promise<readonly Had[]> {
  const seen: Had[] = [];
  let after = from;
  while (!signal.aborted) {
    const query = { after, limit: 100 };
    const page = feed.search(query) ?? (await store.search(query));
    const atMs = performance.timeOrigin + performance.now();
    for (const { position } of page.events) seen.push([position, atMs]);
    after = page.through;
    if (page.isEnd) await feed.beyond(after, 1_000, signal);
  }
  return seen;
}

/** Commands that are given together: they share commits. */
const batch = 1_000;

/** What somebody met who appended until another node took over. */
export interface Met {
  readonly appends: number;
  /** Milliseconds that the slowest took, the refused ones included. */
  readonly longestMs: number;
  /** When the last one was acknowledged, in Unix milliseconds with a fraction. */
  readonly lastMs: number;
}

async function appendUntilRefused(inFlight: number): Promise<Met> {
  let [appends, longestMs, lastMs] = [0, 0, 0];
  const repeat = async () => {
    for (let isRefused = false; !isRefused; ) {
      const fromMs = performance.now();
      try {
        await addApp();
        appends += 1;
        lastMs = performance.timeOrigin + performance.now();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        isRefused = true;
      }
      longestMs = Math.max(longestMs, performance.now() - fromMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, repeat));
  return { appends, longestMs, lastMs };
}

const answers = {
  appendUntilRefused,
  /** Appends until the log has so many events. */
  fill: async (events: number) => {
    while ((await store.head()).position < BigInt(events)) {
      await Promise.all(Array.from({ length: batch }, addApp));
    }
  },
  run: (waiting: Waiting) => keepInFlight(waiting, addApp),
  /** Begins to follow the log, as a watch does. */
  watch: async () => {
    const over = new AbortController();
    const { position } = await store.head();
    watching = { over, seen: follow(position, over) };
  },
  /** Ends that; answers what came. */
  seen: () => {
    watching.over.abort();
    return watching.seen;
  },
  /** Appends once; answers the position of the last event, and when it was acknowledged. */
  append: async (): Promise<Had> => {
    const position = await addApp();
    return [position, performance.timeOrigin + performance.now()];
  },
};

/** What can be asked of a node. */
export type NodeAnswers = typeof answers;

answerParent(answers, () => opened.close());
