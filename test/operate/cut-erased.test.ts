import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { logIn } from "../../src/log/in-file.ts";
import { inDirectory } from "../harness/process.ts";
import { done, erase, importOwner, list, startIn } from "../log/erased.ts";
import { environment } from "../log/forgeries.ts";
import { forge } from "../log/forgery.ts";
import { run } from "../start/command.ts";
import { describeOnPostgres, postgresPlace } from "../store/postgres-place.ts";
import { eventsIn, flagOf } from "./copies.ts";
import { eraseSome, expectNone, makePeople, type People } from "./erased-people.ts";

// The way out of a log that was forged, where an erasure lies behind the cut.

/** The data directory of a log that was forged at its end, behind the erasures. */
let given: string;
let people: People;
/** The last position before the erasures. */
let until: bigint;
beforeAll(async () => {
  given = join(await mkdtemp(join(tmpdir(), "iam-cut-erased-")), "data");
  people = await makePeople(given);
  await grantRole(people.erased);
  until = (await eventsIn(given)).at(-1)?.position ?? 0n;
  await eraseSome(given, people);
  const service = await startIn(given);
  // Nothing of this one is copied.
  await erase(service, await importOwner(service));
  await service.close();
  forge(logIn(given), "UPDATE events SET actor = 'x' ORDER BY position DESC LIMIT 1");
});
afterAll(() => rm(dirname(given), { recursive: true }));

/** Grants a person a role of a project. */
async function grantRole(userId: string): Promise<void> {
  const service = await startIn(given);
  const { id: projectId } = await done(service.call("/management/v1/projects", { name: "Shop" }));
  const role = { roleKey: "editor", displayName: "Editor" };
  await done(service.call(`/management/v1/projects/${projectId}/roles`, role));
  const grant = { projectId, roleKeys: [role.roleKey] };
  await done(service.call(`/management/v1/users/${userId}/grants`, grant));
  await service.close();
}

const copyUntil = (position: bigint, from: string, to: string) =>
  run(["copy", "--until", String(position), "--to", to, flagOf(from)], environment);

/** Expects that the log ends with what was erased since the cut, and with the cut. */
async function expectCut(dataDir: string, databaseUrl = ""): Promise<void> {
  const at = { ...environment, IAM_DATABASE_URL: databaseUrl };
  expect(await run(["verify", flagOf(dataDir)], at)).toMatchObject({ code: 0 });
  const events = await eventsIn(dataDir, databaseUrl);
  const before = await eventsIn(given);
  expect(events.slice(0, Number(until))).toEqual(before.slice(0, Number(until)));
  const added = events.slice(Number(until));
  expect(added.map(({ type, actor }) => [type, actor]).sort()).toEqual([
    ["log.history.cut", "operator"],
    ["user.erased", "operator"],
    ["user.human.logins.forgotten", "operator"],
    ["user.metadata.erased", "operator"],
    ["user.metadata.erased", "operator"],
  ]);
  expect(added.at(-1)?.type).toBe("log.history.cut");
  const reason = (one: { readonly type: string; readonly payload: string }) =>
    one.type === "user.erased" ? [one.payload] : [];
  expect(added.flatMap(reason)).toEqual(before.flatMap(reason).slice(0, 1));
}

test("a log is copied up to before an erasure, and what was erased stays so", async () => {
  await inDirectory(async (directory) => {
    const whole = join(directory, "whole");
    expect(await copyUntil(until, given, whole)).toMatchObject({ code: 0, stderr: "" });
    await expectCut(whole);
    await cp(join(given, list), join(whole, list), { recursive: true });
    await cp(join(given, "admin.token"), join(whole, "admin.token"));
    const service = await startIn(whole);
    expect(service.lines()).toEqual([]);
    const get = (path: string) => service.call(`/management/v1/users/${path}`);
    expect(await get(people.erased)).toMatchObject({ status: 404 });
    expect(await get(people.userId)).toMatchObject({ status: 200 });
    const keys = `/management/v1/users/${people.userId}/metadata/_search`;
    const { answer } = await service.call(keys, {});
    expect(answer.result).toMatchObject([{ key: "kept" }]);
    // What the erasure took along is left out, and ends in its turn.
    const grants = () => done(service.call("/management/v1/users/grants/_search", {}));
    while ((await grants()).details.totalResult !== "0") await pause(5);
    await service.close();
    expect(await run(["verify", flagOf(whole)], environment)).toMatchObject({ code: 0 });
    await expectNone(whole);
  });
});

test.each([
  ["was forged", "UPDATE events SET actor = 'x' WHERE type = 'user.erased'"],
  ["is gone", "DELETE FROM events WHERE type = 'user.erased'"],
])("one whose erasure %s is copied up to before what was erased alone", async (_, sql) => {
  await inDirectory(async (directory) => {
    const [data, whole] = [join(directory, "data"), join(directory, "whole")];
    await cp(given, data, { recursive: true });
    forge(logIn(data), sql);
    const refused = await copyUntil(until, data, whole);
    const stream = `user-${people.erased}`;
    const first = (await eventsIn(given)).find((event) => event.stream === stream)?.position ?? 0n;
    expect(refused.stderr).toContain(
      `has no event that erased event at position ${first}, version 1 of ${stream}: ` +
        `choose position ${first - 1n} or an earlier one`,
    );
    expect(refused.code).toBe(1);
    expect(existsSync(whole)).toBe(false);
    expect(await copyUntil(first - 1n, data, whole)).toMatchObject({ code: 0, stderr: "" });
    expect(await run(["verify", flagOf(whole)], environment)).toMatchObject({ code: 0 });
  });
});

describeOnPostgres("a log that is cut before an erasure", () => {
  test("is copied to a database", async () => {
    const place = await postgresPlace();
    await inDirectory(async (directory) => {
      expect(await copyUntil(until, given, place.url)).toMatchObject({ code: 0, stderr: "" });
      await expectCut(directory, place.url);
    });
    await place.remove();
  });
});
