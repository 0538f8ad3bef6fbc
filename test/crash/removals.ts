import { setTimeout as pause } from "node:timers/promises";
import { dependantLimits } from "../../src/execute/dependants.ts";
import { logIn } from "../../src/log/in-file.ts";
import { createRandom, type Random } from "../gateway/native/random.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { type Calls, openCalls } from "./calls.ts";
import type { ErasuresOptions } from "./erasures.ts";
import { type Problem, type Row, readRows } from "./ledger.ts";
import type { LoginsResult } from "./logins.ts";
import { verify } from "./series.ts";

/** What ends with an organization: with its removal, in two whole pieces, and in a last one. */
const usersCount = 3 * dependantLimits.atOnce + 10;
/** Users that are added at the same time. */
const addedAtOnce = 32;
/** Milliseconds after the call within which the kill comes. */
const middleMs = 60;
/** Milliseconds between two looks at the log. */
const lookMs = 20;
/** Milliseconds until all has to be gone: another process takes the turn of a killed one later. */
const settledMs = 180_000;

/**
 * Removes an organization with more than ends in one append, once for each of the numbers. The
 * service is killed in the middle of the call, or behind the answer, and again in the middle of the
 * pieces. In between nothing of the organization counts, and in the end all of it is gone.
 */
export async function runRemovals(
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
    const given = await givenOrganization(await openCalls(service, dataDir), number);
    const isAnswered = await untilKilled(service, { dataDir, given, random, number });
    acknowledged += isAnswered ? 1 : 0;
    const found = [...judgeRemoval(rowsOf(dataDir, given), isAnswered)];
    service = start();
    // What was cut off is done again.
    if (!isRemoved(rowsOf(dataDir, given))) await remove(await openCalls(service, dataDir), given);
    await untilPiece(service, { dataDir, given });
    service = start();
    found.push(...(await judgeCounting(await openCalls(service, dataDir), given)));
    found.push(...(await judgeEnd(await openCalls(service, dataDir), { dataDir, given })));
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

/** An organization, and the last user of it, who is the last to go. */
interface Given {
  readonly organization: string;
  readonly userId: string;
  readonly userName: string;
  readonly token: string;
}

interface Place {
  readonly dataDir: string;
  readonly given: Given;
}

async function givenOrganization(call: Calls, number: number): Promise<Given> {
  const { id: organization = "" } = await call("POST", "/orgs", { name: `Leaving ${number}` });
  const add = async (serial: number) => {
    const body = { userName: `leaving-${number}-${serial}`, name: "Leaving" };
    const { userId = "" } = await call("POST", "/users/machine", body, { organization });
    return { userId, userName: body.userName };
  };
  for (let serial = 1; serial < usersCount; serial += addedAtOnce) {
    const some = Math.min(addedAtOnce, usersCount - serial);
    await Promise.all(Array.from({ length: some }, (_, i) => add(serial + i)));
  }
  const last = await add(usersCount);
  const { token = "" } = await call("POST", `/users/${last.userId}/pats`, {}, { organization });
  return { organization, ...last, token };
}

function remove(call: Calls, { organization }: Given): Promise<unknown> {
  return call("DELETE", "/orgs/me", undefined, { organization });
}

/** Begins to remove the organization, and kills the service; answers whether it was answered. */
async function untilKilled(
  service: ServiceProcess,
  { dataDir, given, random, number }: Place & { readonly random: Random; readonly number: number },
): Promise<boolean> {
  const call = await openCalls(service, dataDir);
  const removed = remove(call, given).then(
    () => true,
    () => false,
  );
  if (number % 2 === 0) await removed;
  else await pause(random.below(middleMs));
  service.killGroup("SIGKILL");
  await service.ended;
  return await removed;
}

/** Kills the service as soon as the log has a piece of those that follow the removal. */
async function untilPiece(service: ServiceProcess, { dataDir, given }: Place): Promise<void> {
  await service.listening;
  const untilMs = performance.now() + settledMs;
  const isBegun = () => rowsOf(dataDir, given).some(({ actor }) => actor === "removal");
  while (!isBegun() && performance.now() < untilMs) await pause(lookMs);
  service.killGroup("SIGKILL");
  await service.ended;
}

/** The last event of each thing of the organization, and the events of the organization. */
function rowsOf(dataDir: string, { organization }: Given): readonly Row[] {
  const rows = readRows(logIn(dataDir));
  const own = rows.filter(({ owner }) => owner === organization);
  return [...Map.groupBy(own, ({ stream }) => stream).values()].flatMap((its) => its.slice(-1));
}

function isRemoved(rows: readonly Row[]): boolean {
  return rows.some(({ type }) => type === "org.removed");
}

/** The users that are gone: as many as the removal and whole pieces take, or all. */
function goneIn(rows: readonly Row[]): number {
  return rows.filter(({ type }) => type === "user.removed").length;
}

/** What is wrong with a log where a removal was cut off. */
function judgeRemoval(rows: readonly Row[], isAnswered: boolean): readonly Problem[] {
  if (isAnswered && !isRemoved(rows)) return [{ kind: "lost", text: "the organization is there" }];
  const [gone, expected] = [goneIn(rows), isRemoved(rows) ? dependantLimits.atOnce : 0];
  return gone === expected ? [] : [{ kind: "torn", text: `${gone} users went with it` }];
}

/** What still counts of the organization while some of it is there. */
async function judgeCounting(
  call: Calls,
  { organization, userId, token }: Given,
): Promise<readonly Problem[]> {
  const asked = [
    ["UNAUTHENTICATED", call("GET", "/orgs/me", undefined, { token })],
    ["PERMISSION_DENIED", call("GET", `/users/${userId}`, undefined, { organization })],
    ["USER_NOT_FOUND", call("GET", `/users/${userId}`)],
  ] as const;
  const said = await Promise.all(
    asked.map(async ([reason, answer]) => {
      const text = await answer.then(JSON.stringify, ({ message }: Error) => message);
      return text.includes(reason)
        ? []
        : [{ kind: "phantom", text: `${reason}: ${text}` } as const];
    }),
  );
  return said.flat();
}

/** What is not gone in time, or went by half. */
async function judgeEnd(call: Calls, { dataDir, given }: Place): Promise<readonly Problem[]> {
  const untilMs = performance.now() + settledMs;
  for (;;) {
    const gone = goneIn(rowsOf(dataDir, given));
    if (gone === usersCount) break;
    if (gone % dependantLimits.atOnce !== 0) {
      return [{ kind: "torn", text: `${gone} users are gone, which is no whole piece` }];
    }
    if (performance.now() > untilMs) {
      return [{ kind: "stalled", text: `${usersCount - gone} users are there still` }];
    }
    await pause(50 * lookMs);
  }
  // Names that were held are free.
  await call("POST", "/users/machine", { userName: given.userName, name: "Coming" });
  return [];
}
