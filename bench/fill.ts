import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { v7 } from "uuid";
import { action, createAction } from "../src/domain/action.ts";
import { app } from "../src/domain/app/app.ts";
import { addAPIApp } from "../src/domain/app/create.ts";
import { streamOf } from "../src/domain/noun.ts";
import { project } from "../src/domain/project.ts";
import { createExecute, type Execute } from "../src/execute/execute.ts";
import { logInFile } from "../src/log/in-file.ts";
import { openHistory } from "../src/log/open-history.ts";
import { setUp } from "../src/start/first-start.ts";
import { checkKeyring } from "../src/start/master-key.ts";
import { silent } from "../src/store/failure-log.ts";
import { digits, filledId } from "./template.ts";

/** Commands that are given together: they share commits. */
const batch = 1_000;

/**
 * Makes a store of at least so many events, with as many applications and actions as
 * `applicationsOf` and `actionsOf` say, by the way that commands take. Answers the id of the
 * project.
 */
export async function fillStore(dataDir: string, storedEvents: number): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const random = randomBytes;
  const place = logInFile(dataDir);
  const made = { now: Date.now, newId: () => v7(), random };
  const sources = { place, dataDir, ...made, logs: { log: silent } };
  const config = { masterKeys: undefined, anchorUrl: "", processes: 1 };
  const decided = { historyFrom: undefined, assertNewAllowed() {} };
  const history = await openHistory(config, sources, {}, decided);
  const { log: store, keyring, begin, close } = history;
  const execute = createExecute(store, Date.now);
  await begin(execute);
  const projectId = await setUp({ execute, dataDir, newId: () => v7(), random });
  if (projectId === undefined) throw new Error(`${dataDir} is in use already`);
  await checkKeyring(await keyring({ isNew: false, keyIds: [] }), store, execute);
  const [projectObject] = await store.load([streamOf(project, projectId)]);
  const organization = projectObject?.owner ?? "";

  const add = (serial: number) => {
    const names = { name: `application ${serial}`, clientId: v7(), clientSecretHash: "" };
    const id = filledId(String(serial).padStart(digits, "0"));
    return execute({
      actor: "bench",
      writes: { app: { noun: app, id, owner: organization, isNew: true } },
      relies: { project: { noun: project, id: projectId } },
      decide: (states) =>
        addAPIApp(states, { organization, projectId, ...names }, "PRIVATE_KEY_JWT"),
    });
  };
  const addAction = (serial: number) =>
    execute({
      actor: "bench",
      writes: { action: { noun: action, id: v7(), owner: organization, isNew: true } },
      decide: () => createAction({ ...plainAction, name: filledAction(serial) }),
    });
  await fill(applicationsOf(storedEvents), add);
  await fill(actionsOf(storedEvents), addAction);
  await close();
  return projectId;
}

async function fill(count: number, add: (serial: number) => ReturnType<Execute>): Promise<void> {
  for (let from = 0; from < count; from += batch) {
    const length = Math.min(batch, count - from);
    const outcomes = await Promise.all(Array.from({ length }, (_, n) => add(from + n)));
    const other = outcomes.find(({ kind }) => kind !== "done");
    if (other !== undefined) throw new Error(`the store was not filled: ${JSON.stringify(other)}`);
  }
}

/** Each is two events, half of all; even an empty store has a page of them, to be read. */
export function applicationsOf(storedEvents: number): number {
  return Math.max(100, Math.ceil(storedEvents / 4));
}

/** Each is one event, the other half. */
export function actionsOf(storedEvents: number): number {
  return Math.max(100, Math.ceil(storedEvents / 2));
}

const plainAction = { script: "", timeoutNanos: 1_000_000_000, allowedToFail: false };

/** The name of one of at most a million actions, in another order than they were made in. */
export function filledAction(serial: number): string {
  return `action ${(serial * 7_368_787) % 1_000_003}`;
}
