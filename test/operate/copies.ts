import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { action, createAction } from "../../src/domain/action.ts";
import { findLog } from "../../src/log/find.ts";
import { withLog } from "../../src/log/offline.ts";
import type { SealedEvent } from "../../src/store/chain/chain.ts";
import { environment } from "../log/forgeries.ts";
import { start } from "../start/command.ts";
import { callsTo } from "../start/database-place.ts";

/** The flag for a data directory. */
export const flagOf = (dataDir: string) => `--data-dir=${dataDir}`;
/** The settings of commands on a data directory, or on a database beside it. */
export const configOf = (dataDir: string, databaseUrl = "") => ({
  ...readConfig([flagOf(dataDir)], environment),
  databaseUrl,
});
/** Serves a directory for a project with this name, and ends. */
export async function serve(dataDir: string, name: string): Promise<void> {
  const { url: at, close } = await start([flagOf(dataDir), "--port=0"], environment);
  try {
    const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    expect(await callsTo(at, token).add(name)).toMatchObject({ status: 200 });
  } finally {
    await close();
  }
}

/** Imports six people at a running service, two for each of three phones. */
export async function importSix(serviceUrl: string, dataDir: string): Promise<void> {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (let number = 0; number < 6; number += 1) {
    const body = JSON.stringify({
      userName: `user ${number}`,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: "ada@example.com" },
      phone: { phone: `+4144668180${number % 3}` },
    });
    const url = `${serviceUrl}/management/v1/users/human/_import`;
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
  }
}

/** Adds so many events to the log in a directory. */
export async function addMany(dataDir: string, count: number): Promise<void> {
  await withLog(configOf(dataDir), async ({ execute, newId }) => {
    const script = { script: "", timeoutNanos: 1_000_000_000, allowedToFail: false };
    const more = Array.from({ length: count }, (_, n) =>
      execute({
        actor: "test",
        writes: { action: { noun: action, id: newId(), owner: "test", isNew: true } },
        decide: () => createAction({ ...script, name: `action ${n}` }),
      }),
    );
    for (const { kind } of await Promise.all(more)) expect(kind).toBe("done");
  });
}

/** All that is kept of the events. */
export async function eventsIn(dataDir: string, databaseUrl = ""): Promise<readonly SealedEvent[]> {
  const log = await (await findLog({ dataDir, databaseUrl })).readEvents();
  const events: SealedEvent[] = [];
  for await (const event of log.after(0n)) {
    const { salt, mac, link } = event;
    const bytes = [salt, mac, link].map((some) => Buffer.from(some));
    events.push({ ...event, salt: bytes[0]!, mac: bytes[1]!, link: bytes[2]! });
  }
  await log.close();
  return events;
}
