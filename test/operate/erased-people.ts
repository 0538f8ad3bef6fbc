import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { forgetLogins } from "../../src/domain/user/login/forget.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { withLog } from "../../src/log/offline.ts";
import { happen, loggedIn } from "../cases/users.ts";
import { done, erase, importOwner, marker, startIn } from "../log/erased.ts";
import { configOf } from "./copies.ts";

// Logs of which much was erased: a person, a key of metadata and logins.

const [value, network] = ["Planted-Value", "203.0.113.0/24"];
const base64 = (text: string) => Buffer.from(text).toString("base64");
/** What nobody is to find any more, as it was written. */
const markers = [marker, base64(marker), value, base64(value), network];

export interface People {
  /** Who is to be erased. */
  readonly erased: string;
  /** Whose logins are to be erased, and a key of metadata. */
  readonly userId: string;
}

/** Leaves a log with two people, of which nothing was erased yet. */
export async function makePeople(dataDir: string): Promise<People> {
  const service = await startIn(dataDir);
  const { call } = service;
  const erased = await importOwner(service);
  const { userId } = await done(
    call("/management/v1/users/human/_import", {
      userName: "grace",
      profile: { firstName: "Grace", lastName: "Hopper" },
      email: { email: "grace@example.com", isEmailVerified: true },
    }),
  );
  await done(call(`/management/v1/users/${userId}/metadata/gone`, { value: base64(value) }));
  await done(call(`/management/v1/users/${userId}/metadata/kept`, { value: base64("kept") }));
  await service.close();
  await withLog(configOf(dataDir), async ({ execute }) => {
    const failed = { factor: "password", network } as const;
    const logins: readonly UserEvent[] = [
      ...loggedIn("session"),
      { type: "user.human.login.failed", payload: failed },
    ];
    await happen({ execute }, logins, { id: userId });
  });
  return { erased, userId };
}

/** Erases a person, a key of metadata and the logins of somebody. */
export async function eraseSome(dataDir: string, { erased, userId }: People): Promise<void> {
  const service = await startIn(dataDir);
  const path = `/management/v1/users/${userId}/metadata/gone`;
  await done(service.call(path, undefined, "DELETE"));
  await erase(service, erased);
  await service.close();
  await withLog(configOf(dataDir), async ({ store, execute }) => {
    const [{ version = 0 } = {}] = await store.load([`user-${userId}`]);
    const { kind } = await execute({
      actor: "retention",
      writes: { user: { noun: user, id: userId } },
      decide: (states) => forgetLogins(states.user, version),
    });
    expect(kind).toBe("done");
  });
}

/** Expects that no file of a directory has what was erased. */
export async function expectNone(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const bytes = await readFile(join(dataDir, name), "latin1");
    expect([name, markers.filter((text) => bytes.includes(text))]).toEqual([name, []]);
  }
}
