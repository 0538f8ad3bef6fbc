import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { erasureFile } from "../../src/log/erasure-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { createRandom, type Random } from "../gateway/native/random.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { type Calls, openCalls } from "./calls.ts";
import { type Problem, type Row, readRows } from "./ledger.ts";
import type { LoginsResult } from "./logins.ts";
import { verify } from "./series.ts";

/** Where people are erased while the service is killed, and what serves there. */
export interface ErasuresOptions {
  readonly dataDir: string;
  readonly seed: number;
  /** The copy of the project that serves; left out, this one. */
  readonly project?: string;
}

/** Milliseconds after the call within which the kill comes. */
const middleMs = 12;
/** Milliseconds until the bytes have to be off the disk, and the list has to have the person. */
const settledMs = 30_000;
/** Changes of a person, each with a name of its own. */
const changes = 12;

/**
 * Erases a person, once for each of the numbers: of every four kills, three come in the middle of
 * it, and one behind the answer. Whatever comes of it, the person is wholly there or wholly erased.
 */
export async function runErasures(
  numbers: readonly number[],
  { dataDir, seed, project }: ErasuresOptions,
): Promise<LoginsResult> {
  const random = createRandom(seed);
  const args = ["serve", "--port=0", `--data-dir=${dataDir}`, "--log-level=warn"];
  const start = () => startProcess(args, project ? { project } : {});
  const problems: (Problem & { readonly number: number })[] = [];
  let [done, acknowledged] = [0, 0];
  let service = start();
  for (const number of numbers) {
    const person = await givenPerson(await openCalls(service, dataDir), number);
    const isAnswered = await untilKilled(service, { dataDir, person, random, number });
    service = start();
    const calls = await openCalls(service, dataDir);
    const found = await judge(calls, { dataDir, person, isAnswered });
    acknowledged += isAnswered ? 1 : 0;
    problems.push(...found.map((problem) => ({ ...problem, number })));
    done += 1;
    if (found.length > 0) break;
  }
  service.kill("SIGTERM");
  await service.ended;
  const number = numbers[done - 1] ?? 0;
  problems.push(...(await verify(dataDir)).map((problem) => ({ ...problem, number })));
  return { done, acknowledged, problems };
}

/** Somebody who is to be erased, and the text that all that is kept of the person has. */
export interface Person {
  readonly id: string;
  readonly marker: string;
}

export async function givenPerson(call: Calls, number: number): Promise<Person> {
  const marker = `Planted-${number}-Person`;
  const { userId: id = "" } = await call("POST", "/users/human/_import", {
    ...{ userName: marker, profile: { firstName: marker, lastName: marker } },
    email: { email: `${marker}@example.com` },
  });
  for (let change = 0; change < changes; change += 1) {
    await call("PUT", `/users/${id}/profile`, {
      firstName: `${marker} ${change}`,
      lastName: marker,
    });
  }
  return { id, marker };
}

/** Begins to erase the person, and kills the service; answers whether it was answered. */
async function untilKilled(
  service: ServiceProcess,
  {
    dataDir,
    person,
    random,
    number,
  }: {
    readonly dataDir: string;
    readonly person: Person;
    readonly random: Random;
    readonly number: number;
  },
): Promise<boolean> {
  const call = await openCalls(service, dataDir);
  const erased = call("POST", `/users/${person.id}/_erase`, {}).then(
    () => true,
    () => false,
  );
  if (number % 4 === 3) await erased;
  else await pause(random.below(middleMs));
  service.killGroup("SIGKILL");
  await service.ended;
  return await erased;
}

/** What is wrong with the log once the service serves again. */
export async function judge(
  call: Calls,
  {
    dataDir,
    person,
    isAnswered,
  }: {
    readonly dataDir: string;
    readonly person: Person;
    readonly isAnswered: boolean;
  },
): Promise<readonly Problem[]> {
  const { id } = person;
  const before = rowsOf(dataDir, id);
  const isErased = before.at(-1)?.type === "user.erased";
  if (isAnswered && !isErased) return [{ kind: "lost", text: `the erasure of ${id}` }];
  const torn = tornIn(before);
  if (torn.length > 0) return torn;
  // What was cut off is done again, which the person is there for.
  if (!isErased) await call("POST", `/users/${id}/_erase`, {});
  const problems = [...tornIn(rowsOf(dataDir, id)), ...(await leftOf(dataDir, person))];
  return problems;
}

function rowsOf(dataDir: string, id: string): readonly Row[] {
  return readRows(logIn(dataDir)).filter(({ stream }) => stream === `user-${id}`);
}

/** Whether all payloads before an erasure are gone, and without one none. */
function tornIn(rows: readonly Row[]): readonly Problem[] {
  const erasing = rows.findLastIndex(({ type }) => type === "user.erased");
  const wrong = rows.filter(({ payload }, i) => (payload === "") !== i < erasing);
  return wrong.map(({ position }) => ({ kind: "torn", text: `the payload at ${position}` }));
}

/** What does not become as it should in time: the list, and the files without the person. */
async function leftOf(dataDir: string, { id, marker }: Person): Promise<readonly Problem[]> {
  const untilMs = performance.now() + settledMs;
  for (;;) {
    const list = await readFile(join(dataDir, erasureFile), "utf8").catch(() => "");
    const names = await filesWith(dataDir, marker);
    if (list.includes(id) && names.length === 0) return [];
    if (performance.now() > untilMs) {
      const inFiles = names.map(
        (name) => ({ kind: "torn", text: `${marker} is in ${name}` }) as const,
      );
      const isListed = list.includes(id)
        ? []
        : [{ kind: "lost", text: `${id} in the list` } as const];
      return [...inFiles, ...isListed];
    }
    await pause(20);
  }
}

/** The files of the log that have a text. */
async function filesWith(dataDir: string, text: string): Promise<readonly string[]> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("iam."));
  const found = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(dataDir, name), "latin1").catch(() => "");
      return bytes.includes(text) ? [name] : [];
    }),
  );
  return found.flat();
}
