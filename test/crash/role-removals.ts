import { setTimeout as pause } from "node:timers/promises";
import { fillGrants, grantedRole } from "../../bench/grants/fill.ts";
import { basicOf, type Proof, paths } from "../../bench/login/parties.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";
import { createRandom, type Random } from "../gateway/native/random.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { type Calls, openCalls } from "./calls.ts";
import type { Problem } from "./ledger.ts";
import type { LoginsOptions, LoginsResult } from "./logins.ts";
import { verify } from "./series.ts";

/** Where a role is removed while the service is killed, and how many hold it. */
export interface RoleRemovalsOptions extends LoginsOptions {
  readonly holders: number;
}

/** Milliseconds after the call, or after a piece, within which a kill comes. */
const middleMs = 150;
/** Milliseconds between two looks at what is left. */
const lookMs = 20;
/** Milliseconds until something more has to be gone: a later turn goes on with a killed one. */
const settledMs = 180_000;

/**
 * Removes a role that many hold, and kills the service once for each of the numbers: first in the
 * middle of the call, then behind the answer, and then in the middle of the pieces that follow.
 * From the commit on nobody holds the role, and in the end no grant names it.
 */
export async function runRoleRemovals(
  numbers: readonly number[],
  { dataDir, seed, project, holders, env = {} }: RoleRemovalsOptions,
): Promise<LoginsResult> {
  const random = createRandom(seed);
  const args = ["serve", "--port=0", `--data-dir=${dataDir}`, "--log-level=warn"];
  const settings = { IAM_PUBLIC_URL: "http://127.0.0.1", ...env };
  const start = () => startProcess(args, { env: settings, ...(project ? { project } : {}) });
  const problems: (Problem & { readonly number: number })[] = [];
  let [done, acknowledged, isGone] = [0, 0, false];
  let service = start();
  const given = await givenHolders(service, { dataDir, env: settings, holders });
  for (const number of numbers) {
    const call = await openCalls(service, dataDir);
    let isAnswered = false;
    if (isGone) await pieceOf(call, random);
    else isAnswered = await removed(call, given, done === 0 ? random : undefined);
    await killed(service);
    acknowledged += isAnswered ? 1 : 0;
    service = start();
    const again = await openCalls(service, dataDir);
    const found: Problem[] = [];
    if (!isGone) {
      isGone = (await countOf(again, rolesOf(given))) === 0;
      if (isAnswered && !isGone) found.push({ kind: "lost", text: "the role is there" });
      // One that gets the same key is another.
      if (isGone) await addRole(again, given);
    }
    found.push(...(await judge(await service.listening, again, { given, isGone })));
    problems.push(...found.map((problem) => ({ ...problem, number })));
    done += 1;
    if (found.length > 0) break;
  }
  const number = numbers[done - 1] ?? 0;
  const found = problems.length === 0 ? await judgeEnd(service, { dataDir, given, isGone }) : [];
  service.kill("SIGTERM");
  await service.ended;
  found.push(...(await verify(dataDir, settings)));
  problems.push(...found.map((problem) => ({ ...problem, number })));
  return { done, acknowledged, problems };
}

/** A project with a role, which so many hold: the last of them is a machine. */
interface Given {
  readonly project: string;
  readonly holders: number;
  readonly machine: Proof;
  /** Who asks what the machine holds. */
  readonly api: Proof;
}

async function givenHolders(
  service: ServiceProcess,
  { dataDir, env, holders }: Required<Pick<RoleRemovalsOptions, "dataDir" | "env" | "holders">>,
): Promise<Given> {
  const call = await openCalls(service, dataDir);
  const named = { name: "Leaving", projectRoleAssertion: true };
  const { id: project = "" } = await call("POST", "/projects", named);
  await addRole(call, { project });
  const app = { name: "API", authMethodType: "API_AUTH_METHOD_TYPE_BASIC" };
  const api = proofOf(await call("POST", `/projects/${project}/apps/api`, app));
  const filling = { projectId: project, users: [], people: holders - 1, free: 0 };
  await fillGrants({ dataDir, env }, filling);
  const machine = { userName: "robot", name: "Robot" };
  const { userId = "" } = await call("POST", "/users/machine", machine);
  const granted = { projectId: project, roleKeys: [grantedRole] };
  await call("POST", `/users/${userId}/grants`, granted);
  return {
    ...{ project, holders, api },
    machine: proofOf(await call("PUT", `/users/${userId}/secret`, {})),
  };
}

function proofOf({ clientId = "", clientSecret = "" }: Awaited<ReturnType<Calls>>): Proof {
  return { id: clientId, secret: clientSecret };
}

const rolesOf = ({ project }: Pick<Given, "project">) => `/projects/${project}/roles`;

function addRole(call: Calls, given: Pick<Given, "project">): Promise<unknown> {
  return call("POST", rolesOf(given), { roleKey: grantedRole, displayName: grantedRole });
}

/** How many there are in a list of a path. */
async function countOf(call: Calls, path: string): Promise<number> {
  const { details } = await call("POST", `${path}/_search`, { query: { limit: 1 } });
  return Number(details?.totalResult ?? 0);
}

/** The grants that are left. */
const leftIn = (call: Calls) => countOf(call, "/users/grants");

/** Removes the role, and waits for the answer, or only for some time; answers whether it came. */
async function removed(call: Calls, given: Given, random: Random | undefined): Promise<boolean> {
  let isAnswered = false;
  const removal = call("DELETE", `${rolesOf(given)}/${grantedRole}`).then(
    () => {
      isAnswered = true;
    },
    () => {},
  );
  await (random === undefined ? removal : pause(random.below(middleMs)));
  return isAnswered;
}

/** Waits for a piece, and for some time more; where nothing is left, for neither. */
async function pieceOf(call: Calls, random: Random): Promise<void> {
  const before = await leftIn(call);
  await untilFewer(call, before);
  if (before > 0) await pause(random.below(middleMs));
}

/** Waits until fewer are left, and answers how many; as many where that takes too long. */
async function untilFewer(call: Calls, before: number): Promise<number> {
  const untilMs = performance.now() + settledMs;
  for (;;) {
    const left = await leftIn(call);
    if (left < before || left === 0 || performance.now() > untilMs) return left;
    await pause(lookMs);
  }
}

async function killed(service: ServiceProcess): Promise<void> {
  service.killGroup("SIGKILL");
  await service.ended;
}

interface Judged {
  readonly given: Given;
  readonly isGone: boolean;
}

/** What is wrong while grants may be left: all hold the role or nobody, and they go by pieces. */
async function judge(
  url: string,
  call: Calls,
  { given, isGone }: Judged,
): Promise<readonly Problem[]> {
  const holds = await holdsRole(url, given);
  const left = await leftIn(call);
  const gone = given.holders - left;
  if (holds && isGone) return [{ kind: "phantom", text: "a role counts that was removed" }];
  if (!holds && !isGone) return [{ kind: "lost", text: "a role does not count that is there" }];
  const isWhole = isGone ? left === 0 || gone % dependantLimits.atOnce === 0 : gone === 0;
  return isWhole && gone > 0 === isGone
    ? []
    : [{ kind: "torn", text: `${gone} grants are gone, which is no whole piece` }];
}

/** Whether introspection says that the machine holds the role. */
async function holdsRole(url: string, { machine, api }: Given): Promise<boolean> {
  const post = async (path: string, proof: Proof, form: { readonly [name: string]: string }) => {
    const headers = { authorization: basicOf(proof) };
    const init = { method: "POST", headers, body: new URLSearchParams(form) };
    const response = await fetch(url + path, init);
    return (await response.json()) as { readonly [name: string]: unknown };
  };
  const grant = { grant_type: "client_credentials" };
  const { access_token = "" } = await post(paths.token, machine, grant);
  const said = await post(paths.introspection, api, { token: String(access_token) });
  if (said.active !== true) throw new Error(`introspection says ${JSON.stringify(said)}`);
  return "urn:iam:org:project:roles" in said;
}

/** What is not gone in time, or counts in the end; a role that is there still is removed before. */
async function judgeEnd(
  service: ServiceProcess,
  { dataDir, given, isGone }: Judged & { readonly dataDir: string },
): Promise<Problem[]> {
  const call = await openCalls(service, dataDir);
  if (!isGone) await removed(call, given, undefined);
  for (let left = await leftIn(call); left > 0; ) {
    const now = await untilFewer(call, left);
    if (now === left) return [{ kind: "stalled", text: `${left} grants are there still` }];
    left = now;
  }
  return [...(await judge(await service.listening, call, { given, isGone: true }))];
}
