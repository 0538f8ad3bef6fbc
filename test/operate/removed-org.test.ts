import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { streamOf } from "../../src/domain/noun.ts";
import { org } from "../../src/domain/org.ts";
import { addMachineUser } from "../../src/domain/user/machine.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { withLog } from "../../src/log/offline.ts";
import { inDirectory } from "../harness/process.ts";
import { environment } from "../log/forgeries.ts";
import { run, start } from "../start/command.ts";
import { callsTo } from "../start/database-place.ts";
import { describeOnPostgres, postgresPlace } from "../store/postgres-place.ts";
import { configOf, flagOf } from "./copies.ts";

// The commands of the operator, on a log with an organization that was removed.

/** Adds an organization with a project and an application, and removes it. */
async function removeOne(url: string, token: string): Promise<void> {
  let chosen = "";
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "x-service-orgid": chosen };
    const json = { "content-type": "application/json" };
    const response = await fetch(`${url}/management/v1/${path}`, {
      ...{ method, headers: { ...headers, ...(body ? json : {}) } },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as { readonly id: string };
  };
  chosen = (await call("POST", "orgs", { name: "Acme" })).id;
  const { id } = await call("POST", "projects", { name: "Shop" });
  await call("POST", `projects/${id}/apps/api`, { name: "Stock" });
  await call("DELETE", "orgs/me");
}

/** An organization that was removed by a process that was killed before its user was. */
function leaveOne(dataDir: string, databaseUrl = ""): Promise<string> {
  return withLog(configOf(dataDir, databaseUrl), async ({ execute }) => {
    const [id, userId] = [v7(), v7()];
    const { events } = addMachineUser({
      ...{ userName: "robot", name: "Robot", description: "", accessTokenType: "BEARER" },
    });
    await execute({
      actor: "test",
      writes: {
        org: { noun: org, id, owner: id },
        user: { noun: user, id: userId, owner: id },
      },
      decide: () => ({
        events: {
          ...events,
          org: [
            { type: "org.added" as const, payload: { name: "Left" } },
            { type: "org.removed" as const, payload: {} },
          ],
        },
      }),
    });
    return streamOf(user, userId);
  });
}

/** Serves until the name of the user that was left is free, and its stream ended. */
async function clearBy(
  stream: string,
  token: string,
  dataDir: string,
  databaseUrl = "",
): Promise<void> {
  const url = databaseUrl === "" ? {} : { IAM_DATABASE_URL: databaseUrl };
  const running = await start([flagOf(dataDir), "--port=0"], { ...environment, ...url });
  const calls = callsTo(running.url, token);
  const named = { userName: "robot", name: "Robot" };
  while ((await calls.post("/management/v1/users/machine", named)).status !== 200) await pause(20);
  await running.close();
  await withLog(configOf(dataDir, databaseUrl), async ({ store }) => {
    expect((await store.load([stream]))[0]).toMatchObject({ version: 2, state: undefined });
  });
}

describeOnPostgres("a log with a removed organization", () => {
  test("is proven, made anew, exported, imported, copied and served", () =>
    inDirectory(async (directory) => {
      const [data, other] = [join(directory, "data"), join(directory, "other")];
      const file = join(directory, "log.ndjson");
      const place = await postgresPlace();
      const commands = async (args: readonly string[], more = {}) => {
        const { code, stderr } = await run(args, { ...environment, ...more });
        expect([args[0], code, stderr]).toEqual([args[0], 0, expect.anything()]);
      };
      const running = await start([flagOf(data), "--port=0"], environment);
      const token = (await readFile(join(data, "admin.token"), "utf8")).trim();
      await removeOne(running.url, token);
      await running.close();
      const left = await leaveOne(data);

      for (const command of ["verify", "rebuild", "verify"])
        await commands([command, flagOf(data)]);
      await commands(["export", file, flagOf(data)]);
      await commands(["import", file, flagOf(other)]);
      await commands(["verify", flagOf(other)]);
      await commands(["copy", "--to", place.url, flagOf(data)]);
      await clearBy(left, token, other);
      const there = { IAM_DATABASE_URL: place.url };
      for (const command of ["verify", "rebuild", "verify"]) {
        await commands([command, flagOf(data)], there);
      }
      await clearBy(left, token, data, place.url);
      await commands(["verify", flagOf(data)], there);
      await place.remove();
    }));
});
