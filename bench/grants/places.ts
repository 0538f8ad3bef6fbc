import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { makeCluster, runOn } from "../../test/harness/postgres-cluster.ts";
import { findPostgres } from "../../test/harness/postgres-programs.ts";
import { caller } from "../caller.ts";
import { preparePeople } from "../login/measure.ts";
import type { Parties } from "../login/parties.ts";
import type { Target } from "../requests.ts";
import { type Service, startService } from "../service.ts";
import type { Size } from "../sizes.ts";
import { fillGrants, grantedRole } from "./fill.ts";

/** The service on a log in which so many people have a role, and who logs in there. */
export interface Granted {
  /** How it is called in rows. */
  readonly name: string;
  readonly service: Service;
  readonly target: Target;
  readonly parties: Parties;
}

/** An empty store and one with grants, of one kind. */
export interface Pair {
  readonly kind: string;
  readonly empty: Granted;
  readonly full: Granted;
}

/** All services that are compared. */
export interface Places {
  readonly pairs: readonly Pair[];
  stop(): Promise<void>;
}

/** How often a case is measured at most: in the warming up, and then in each repetition. */
const timesOf = ({ pace }: Pick<Size, "pace">) => 1 + pace.repetitions;

/** Starts the service on files and, where there are its programs, on databases, and fills them. */
export async function openPlaces(
  directory: string,
  size: Pick<Size, "pace" | "grantedPeople" | "addedGrants">,
  say: (text: string) => void,
): Promise<Places> {
  const services: Service[] = [];
  const databases = findPostgres() === undefined ? undefined : await startDatabases(directory);
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
    await databases?.stop();
  };
  const open = async (name: string, people: number, settings: Env): Promise<Granted> => {
    // People log in by the address, whatever the port is.
    const env: Env = { IAM_PUBLIC_URL: "http://127.0.0.1", ...settings };
    say(`filling ${name}`);
    const dataDir = join(directory, name.replaceAll(/\W+/g, "-"));
    const service = await startService(dataDir, [], env);
    services.push(service);
    const call = caller(service.target);
    const named = { name: "Granted", projectRoleAssertion: true };
    const { id: project = "" } = await call("POST", "/projects", named);
    for (const roleKey of [grantedRole, unheldRole]) {
      await call("POST", `/projects/${project}/roles`, { roleKey, displayName: roleKey });
    }
    const target = { ...service.target, project };
    const { parties, users } = await preparePeople(target, { idTokenRoleAssertion: true });
    const free = timesOf(size) * size.addedGrants;
    await fillGrants({ dataDir, env }, { projectId: project, users, people, free });
    // A server does so by itself within a minute (autovacuum).
    const { IAM_DATABASE_URL: url } = env;
    if (url !== undefined) await runOn(url, "ANALYZE");
    return { name, service, target: { ...target, user: users[0] ?? "" }, parties };
  };
  try {
    const pairs: Pair[] = [];
    const { grantedPeople: people } = size;
    for (const kind of ["SQLite", ...(databases === undefined ? [] : ["PostgreSQL"])]) {
      const envOf = async () => (kind === "SQLite" ? {} : ((await databases?.make()) ?? {}));
      const empty = await open(`${kind}, empty`, 0, await envOf());
      const full = await open(`${kind}, ${grantsName(people)}`, people, await envOf());
      pairs.push({ kind, empty, full });
    }
    return { pairs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A role that nobody has. */
export const unheldRole = "nobody";

function grantsName(people: number): string {
  return `${people.toLocaleString("en")} grants`;
}

/** Settings of a service. */
interface Env {
  readonly [name: string]: string;
}

/** Starts a server, and answers what makes a database of it, and says the settings for that. */
async function startDatabases(directory: string) {
  const place = join(directory, "grants-server");
  await mkdir(place);
  const cluster = makeCluster(place);
  await cluster.start();
  let made = 0;
  return {
    make: async (): Promise<Env> => {
      made += 1;
      const name = `grants${made}`;
      await runOn(cluster.url("postgres"), `CREATE DATABASE ${name}`);
      const key = `bench:${randomBytes(32).toString("base64")}`;
      return { IAM_DATABASE_URL: cluster.url(name), IAM_MASTER_KEY: key };
    },
    stop: () => cluster.kill(),
  };
}
