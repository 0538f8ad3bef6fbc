import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { logsTo } from "../../src/start/logger.ts";
import { type Decided, serve } from "../../src/start/serve.ts";
import { leave, run } from "../start/command.ts";
import { environment } from "./forgeries.ts";

// Logs of which somebody was erased after a copy was made.

export const marker = "Planted-Person";
export const list = "iam.erasures";

export interface Line {
  readonly level: number;
  readonly msg: string;
  readonly why?: string;
}

/** A service on a data directory, whose owner may call it. */
export async function startIn(dataDir: string, { token, decided, settings = {} }: Options = {}) {
  const lines: Line[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const config = readConfig(["--port=0", `--data-dir=${dataDir}`], { ...environment, ...settings });
  const running = await serve(config, logsTo(stream, "info"), decided);
  const own = token ?? (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const headers = { authorization: `Bearer ${own}`, "content-type": "application/json" };
  async function call(path: string, body?: object, method = body === undefined ? "GET" : "POST") {
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${running.url}${path}`, { method, headers, ...given });
    return { status: response.status, answer: JSON.parse(await response.text()) };
  }
  return {
    ...{ call, token: own },
    warnings: async () => (await call("/readyz")).answer.warnings as readonly string[],
    lines: () => lines.filter(({ msg }) => /eras/.test(msg)),
    close: () => leave().then(running.close),
  };
}

export interface Options {
  readonly token?: string;
  readonly decided?: Decided;
  readonly settings?: { readonly [name: string]: string };
}

export type Service = Awaited<ReturnType<typeof startIn>>;

/** Imports a person who owns the instance, and has metadata. */
export async function importOwner({ call }: Service): Promise<string> {
  const { answer } = await call("/management/v1/users/human/_import", {
    userName: marker,
    profile: { firstName: marker, lastName: marker },
    email: { email: `${marker}@example.com`, isEmailVerified: true },
  });
  const { userId } = answer as { readonly userId: string };
  await done(call("/admin/v1/members", { userId, roles: ["IAM_OWNER"] }));
  const value = Buffer.from(marker).toString("base64");
  await done(call(`/management/v1/users/${userId}/metadata/note`, { value }));
  return userId;
}

export async function done(called: ReturnType<Service["call"]>) {
  const { status, answer } = await called;
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
}

export async function erase({ call }: Service, userId: string): Promise<string> {
  await done(call(`/admin/v1/members/${userId}`, undefined, "DELETE"));
  const { details } = await done(call(`/management/v1/users/${userId}/_erase`, {}));
  return details.sequence;
}

/** What ListEvents shows of a person, the latest first. */
export async function eventsOf({ call }: Service, aggregateId: string) {
  const { events } = await done(call("/admin/v1/events/_search", { aggregateId }));
  return (events as readonly Event[]).map(({ type, erased = false, payload }) => ({
    ...{ type: type.type, erased },
    reason: payload?.reason,
  }));
}

export interface Event {
  readonly type: { readonly type: string };
  readonly erased?: boolean;
  readonly payload?: { readonly reason?: string };
}

/** Whether a file of the log holds what was said of the person, as text or in base64. */
export async function holds(dataDir: string, text = marker): Promise<boolean> {
  const files = await Promise.all(
    ["iam.db", "iam.db-wal", list].map((name) =>
      readFile(join(dataDir, name), "latin1").catch(() => ""),
    ),
  );
  return files.some((bytes) => bytes.includes(text));
}

export const entriesIn = async (path: string) =>
  (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A log, and a copy of it of before somebody was erased. */
export async function givenErased(directory: string, how: "restore" | "import", settings = {}) {
  const [data, copy, other] = ["data", "copy", "other"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const service = await startIn(data, { settings });
  const userId = await importOwner(service);
  const make = how === "restore" ? "backup" : "export";
  expect(await run([make, copy, `--data-dir=${data}`], environment)).toMatchObject({ code: 0 });
  const position = await erase(service, userId);
  const { token } = service;
  await service.close();
  const putBack = () => run([how, copy, `--data-dir=${other}`], environment);
  return { data, other, copy, userId, position, token, putBack };
}

/** The mails in an outbox, once they are as many, or as few, as somebody waits for. */
export async function mailsIn(
  outbox: string,
  isDone: (names: readonly string[]) => boolean,
): Promise<readonly string[]> {
  for (;;) {
    const names = await readdir(outbox).catch(() => []);
    const mails = names.filter((name) => /^\d+-\w+\.\w+\.eml$/.test(name)).sort();
    if (isDone(mails)) return mails;
    await pause(10);
  }
}

/** Imports so many people; answers their ids. */
export async function importPeople({ call }: Service, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { answer } = await call("/management/v1/users/human/_import", {
      userName: `${marker} ${number}`,
      profile: { firstName: marker, lastName: marker },
      email: { email: `${marker}@example.com` },
    });
    ids.push(answer.userId);
  }
  return ids;
}
