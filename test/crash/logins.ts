import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createRandom, type Random } from "../gateway/native/random.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import type { Problem } from "./ledger.ts";
import {
  type App,
  beginLogin,
  callback,
  infoOf,
  isLoggedIn,
  type Login,
  type Person,
  type StepName,
  type Steps,
  stepNames,
  stepsAt,
  tokensFor,
  Unexpected,
} from "./login-steps.ts";
import { verify } from "./series.ts";

/** Where it is that people log in while the service is killed, and what serves there. */
export interface LoginsOptions {
  readonly dataDir: string;
  readonly seed: number;
  /** The copy of the project that serves; left out, this one. */
  readonly project?: string;
  /** Settings, for example where the log lies. */
  readonly env?: { readonly [name: string]: string };
}

/** What came of rounds. */
export interface LoginsResult {
  readonly done: number;
  /** Steps that were answered. */
  readonly acknowledged: number;
  readonly problems: readonly (Problem & { readonly number: number })[];
}

/** A kill is due in the middle of each step, and behind it: so many rounds have all of them. */
export const loginMoments = 2 * stepNames.length;

/** Milliseconds in the middle of a step after which a kill comes, at most. */
const middleMs: { readonly [name in StepName]?: number } = { password: 150 };
const shortMs = 12;

/**
 * Logs a person in, once for each of the numbers: each says after which step, or in the middle of
 * which, the service is killed. Then the login goes on where it was, and what was acknowledged has
 * to be as it was.
 */
export async function runLogins(
  numbers: readonly number[],
  { dataDir, seed, project, env = {} }: LoginsOptions,
): Promise<LoginsResult> {
  const random = createRandom(seed);
  const args = ["serve", "--port=0", `--data-dir=${dataDir}`, "--log-level=warn"];
  // It says where it is reached by a name that stays, whatever port it gets.
  const settings = { IAM_PUBLIC_URL: "http://127.0.0.1", ...env };
  const start = () => startProcess(args, { env: settings, ...(project ? { project } : {}) });
  const problems: (Problem & { readonly number: number })[] = [];
  let [done, acknowledged] = [0, 0];
  let service = start();
  const parties = await prepare(await service.listening, dataDir);
  for (const number of numbers) {
    const login = beginLogin();
    const moment = momentOf(number);
    const answered = await untilKilled(service, { parties, login, random, moment });
    service = start();
    const found = await judge(await service.listening, { parties, login, moment, answered });
    acknowledged += answered;
    problems.push(...found.map((problem) => ({ ...problem, number })));
    done += 1;
    if (found.length > 0) break;
  }
  service.kill("SIGTERM");
  await service.ended;
  const damages = env.IAM_DATABASE_URL === undefined ? await verify(dataDir) : [];
  const number = numbers[done - 1] ?? 0;
  problems.push(...damages.map((problem) => ({ ...problem, number })));
  return { done, acknowledged, problems };
}

/** Where in a login the kill comes. */
interface Moment {
  /** The index of the step. */
  readonly step: number;
  readonly isInMiddle: boolean;
}

function momentOf(number: number): Moment {
  const moment = number % loginMoments;
  return { step: moment >> 1, isInMiddle: moment % 2 === 0 };
}

/** Who logs in to what. */
export interface Parties {
  readonly app: App;
  readonly person: Person;
}

/** Makes an application and a person at the service whose data directory it is. */
export async function prepare(url: string, dataDir: string): Promise<Parties> {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/management/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const said = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${said}`);
    return JSON.parse(said) as { readonly [name: string]: string };
  };
  const { id = "" } = await post("/projects", { name: "logins" });
  const { clientId = "", clientSecret = "" } = await post(`/projects/${id}/apps/oidc`, {
    ...{ name: "app", redirectUris: [callback], authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" },
    responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
    grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
  });
  const person = { login: "ada", password: "correct horse battery" };
  await post("/users/human/_import", {
    ...{ userName: person.login, password: person.password },
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com", isEmailVerified: true },
  });
  return { app: { clientId, secret: clientSecret }, person };
}

/** Goes through a login until the service is killed; answers how many steps were answered. */
async function untilKilled(
  service: ServiceProcess,
  {
    parties: { app, person },
    login,
    random,
    moment: { step, isInMiddle },
  }: {
    readonly parties: Parties;
    readonly login: Login;
    readonly random: Random;
    readonly moment: Moment;
  },
): Promise<number> {
  const steps = stepsAt(await service.listening, app, person);
  let answered = 0;
  for (const name of stepNames.slice(0, step)) {
    await steps[name](login);
    answered += 1;
  }
  const name = stepNames[step] ?? "userinfo";
  const last = steps[name](login).then(
    () => 1,
    (error: unknown) => {
      if (error instanceof Unexpected) throw error;
      return 0;
    },
  );
  if (isInMiddle) await pause(random.below(middleMs[name] ?? shortMs));
  else await last;
  service.killGroup("SIGKILL");
  answered += await last;
  await service.ended;
  return answered;
}

interface Killed {
  readonly parties: Parties;
  readonly login: Login;
  readonly moment: Moment;
  /** Steps that were answered before the kill. */
  readonly answered: number;
}

/** What is wrong with a login after its service was killed. */
async function judge(
  url: string,
  { parties: { app, person }, login, moment, answered }: Killed,
): Promise<readonly Problem[]> {
  const steps = stepsAt(url, app, person);
  const problems: Problem[] = [];
  const where = `killed ${moment.isInMiddle ? "in" : "behind"} ${stepNames[moment.step]}`;
  const attempt = async (kind: Problem["kind"], what: string, work: () => Promise<unknown>) => {
    await work().catch(({ message }: Error) => {
      problems.push({ kind, text: `${where}: ${what}: ${message}` });
    });
  };
  const isPast = (name: StepName) => answered > stepNames.indexOf(name);

  for (const token of login.accessTokens) {
    await attempt("lost", "an access token", () => infoOf(url, token));
  }
  if (isPast("resume") && !(await isLoggedIn(url, app, login))) {
    problems.push({ kind: "lost", text: `${where}: the session` });
  }
  // A step without an answer may have been done: who tries it again may be refused.
  const isCut = answered === moment.step;
  const goesOn = await goOn(steps, login, answered).catch((error: Error) => error);
  if (goesOn instanceof Error && !(isCut && goesOn.cause === stepNames[answered])) {
    problems.push({ kind: "lost", text: `${where}: ${goesOn.message}` });
  }
  for (const grant of login.spent) {
    const again = await tokensFor(url, app, grant).catch(() => undefined);
    const text = `${where}: a ${grant.grant_type} worked again`;
    if (again !== undefined) problems.push({ kind: "twice", text });
  }
  // Both the browser that was there and one that nobody knows.
  for (const cookies of [login.cookies, new Map<string, string>()]) {
    await attempt("refused", "another login", () => goOn(steps, beginLogin(cookies), 0));
  }
  return problems;
}

/** Does the steps from one on; rejects with the name of the one that is refused as its cause. */
async function goOn(steps: Steps, login: Login, from: number): Promise<undefined> {
  for (const name of stepNames.slice(from)) {
    await steps[name](login).catch(({ message }: Error) => {
      throw new Error(`${name}: ${message}`, { cause: name });
    });
  }
}
