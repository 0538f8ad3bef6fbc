import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projectObject } from "../../src/execute/projection.ts";
import { projector } from "../../src/log/projector.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { fc } from "../harness/laws.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { append, change } from "../store/fixture.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { added, tokenAdded } from "./place.ts";

const newer = { ...projector, revision: projector.revision + 1 };

let place: SqlitePlace;

beforeEach(async () => {
  place = await sqlitePlace();
});

afterEach(() => place.remove());

/** Everything that follows from the log, row by row, and the revision that it was made with. */
function derived(given: Pick<SqlitePlace, "connect">) {
  const db = given.connect();
  const all = (sql: string): readonly unknown[] => db.prepare(sql).all();
  const rows = {
    objects: all("SELECT * FROM objects ORDER BY stream"),
    texts: all(
      `SELECT kind, name, parent, text, tie, first, listed FROM texts JOIN lists ON number = list
       ORDER BY kind, name, parent, text, tie`,
    ),
    messages: all("SELECT * FROM messages ORDER BY position, field"),
  };
  const revision: unknown = db.prepare("SELECT revision FROM projection").pluck().get();
  db.close();
  return { rows, revision };
}

describe("what is made anew from the log is what appends left", () => {
  test("after one of everything, made by calls", async () => {
    const server = await startServer();
    try {
      await callEverything(server);
      const path = join(server.dataDir, "iam.db");
      const types = new Set((await server.events()).map(({ type }) => type));
      const inFile = { connect: () => new Database(path, { readonly: true }) };
      const before = derived(inFile);
      await (await openSqlite({ path, projector: newer, ...sealingIn(server.dataDir) })).close();
      const after = derived(inFile);

      expect([...types].sort()).toEqual([
        "instance.key.added",
        "instance.set.up",
        "log.begun",
        "org.added",
        "project.added",
        "project.application.added",
        "project.application.config.api.added",
        "project.application.config.oidc.added",
        "user.machine.added",
        "user.membership.granted",
        "user.token.added",
        "user.token.removed",
      ]);
      expect([before.revision, after.revision]).toEqual([projector.revision, newer.revision]);
      expect(after.rows).toEqual(before.rows);
      expect(after.rows.objects).toHaveLength(10);
    } finally {
      await server.close();
    }
  });

  test("after any commands on any streams", async () => {
    const commands = fc.array(
      fc.record({
        id: fc.constantFrom("u", "v", "w"),
        tokenId: fc.constantFrom("1", "2", "__proto__"),
        act: fc.constantFrom("add", "take", "drop"),
      }),
      { minLength: 20, maxLength: 60 },
    );
    const [sequence] = fc.sample(commands, { numRuns: 1, seed: 20_260_101 });
    const execute = createExecute(await place.open(projector), Date.now);
    const outcomes = await Promise.all(
      sequence!.map(({ id, tokenId, act }, index) =>
        execute({
          actor: "x",
          writes: { user: { noun: user, id, owner: "o" } },
          relies: {},
          decide: ({ user: state }) => {
            if (state === undefined) return { events: { user: [added(id)] } };
            const held = Object.hasOwn(state.tokens, tokenId);
            if (act === "drop" && held) {
              return {
                events: { user: [{ type: "user.token.removed" as const, payload: { tokenId } }] },
              };
            }
            return held ? { events: {} } : { events: { user: [tokenAdded(tokenId, `${index}`)] } };
          },
        }),
      ),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "done"));
    const before = derived(place);
    await place.open(newer);
    expect(derived(place)).toEqual({ rows: before.rows, revision: newer.revision });
    expect(before.rows.objects).toHaveLength(3);
  });
});

describe("the messages made anew from the log are those that are pending", () => {
  test("after sending, giving up and asking again", async () => {
    const execute = createExecute(await place.open(projector), () => 1_700_000_000_123);
    await happen(execute, personAdded, mailAsked("1"), smsAsked(true), smsAsked(false));
    await happen(execute, mailAsked("2"), delivered("user.human.phone.code.sent", 3));
    await happen(execute, delivered("user.human.initialization.code.failed", 2));
    // What is settled already, was never asked for or is yet to come changes nothing.
    await happen(execute, delivered("user.human.phone.code.failed", 3), smsAsked(true));
    await happen(execute, delivered("user.human.phone.code.sent", 1));
    await happen(execute, delivered("user.human.phone.code.sent", 999));
    const before = derived(place);
    const sinceMs = 1_700_000_000_123;
    const waiting = { field: "code", owner: "o", due: sinceMs, since: sinceMs, attempts: 0 };
    expect(before.rows.messages).toEqual([
      { ...waiting, position: 5, type: "user.human.initialization.code.added" },
      { ...waiting, position: 9, type: "user.human.phone.code.added" },
    ]);
    await place.open(newer);
    expect(derived(place).rows).toEqual(before.rows);
  });

  const personAdded: UserEvent = {
    type: "user.human.added",
    payload: {
      ...{ userName: "ada", firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
      ...{ preferredLanguage: "", gender: "UNSPECIFIED", passwordChangeRequired: false },
      ...{ email: "ada@example.com", phone: "+4915112345678" },
    },
  };
  const mailAsked = (code: string): UserEvent => ({
    type: "user.human.initialization.code.added",
    payload: { code, expirationMs: 1 },
  });
  const smsAsked = (send: boolean): UserEvent => ({
    type: "user.human.phone.code.added",
    payload: { code: "1", expirationMs: 1, send },
  });
  const delivered = (
    type: Extract<UserEvent["type"], `${string}.code.${"sent" | "failed"}`>,
    position: number,
  ): UserEvent => ({ type, payload: { position: String(position) } });

  async function happen(execute: Execute, ...events: readonly UserEvent[]): Promise<void> {
    const outcome = await execute({
      actor: "x",
      writes: { user: { noun: user, id: "u", owner: "o" } },
      relies: {},
      decide: () => ({ events: { user: events } }),
    });
    expect(outcome.kind).toBe("done");
  }
});

describe("what nobody knows is refused loudly", () => {
  test.each([
    ["an event of a known noun", "org-1", "org.vanished", "no case for the event"],
    ["an event of another noun", "org-1", "user.token.added", "no case for the event"],
    ["one that ends as its own do", "project-1", "project.role.added", "no case for the event"],
    [
      "a stream of an unknown noun",
      "planet-1",
      "planet.added",
      "no noun has streams like planet-1",
    ],
    ["a stream without its first event", "user-1", "user.token.added", "first event of the stream"],
  ])("%s", async (_, stream, type, cause) => {
    const store = await place.open(projector);
    const events = [{ type, payload: JSON.stringify({ tokenId: "1", tokenHash: "h" }) }];
    await store.append(append([change(stream, 0, { events })]));
    await expect(place.open(newer)).rejects.toMatchObject({
      message: expect.stringContaining(stream),
      cause: { message: expect.stringContaining(cause) },
    });
    expect(derived(place).revision).toBe(projector.revision);
  });

  test("a payload that is not JSON", () => {
    const event = recorded("org.added", "{");
    expect(() => projector.project([event])).toThrow(SyntaxError);
  });
});

describe("nothing follows", () => {
  const nothing = { state: undefined, row: undefined, claims: [] };

  test("from no events", () => {
    expect(projector.project([])).toEqual({ ...nothing, messages: [] });
  });

  test("from a thing that was removed", () => {
    expect(projectObject(user, undefined)).toEqual(nothing);
  });
});

test("the owner of the stream is part of what is folded", () => {
  const payload = JSON.stringify({ name: "Shop" });
  const { state, claims, row } = projector.project([
    { ...recorded("project.added", payload), stream: "project-1", owner: "org-a" },
  ]);
  expect(JSON.parse(state ?? "")).toEqual({ name: "Shop", organization: "org-a" });
  expect(claims).toEqual([{ kind: "project.name", scope: "org-a", value: "shop" }]);
  expect(row).toEqual({ kind: "project", parent: "org-a", fields: { name: "Shop" } });
});

function recorded(type: string, payload: string): RecordedEvent {
  const envelope = { position: 1n, version: 1, owner: "o", actor: "x", timeMs: 1 };
  return { ...envelope, stream: "org-1", type, payload };
}

/** Calls every method that writes, so that the log has one of everything. */
async function callEverything(server: TestServer): Promise<void> {
  const call = async (path: string, body: object, organization: string) => {
    const response = await fetch(`${server.url}/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        "content-type": "application/json",
        "x-service-orgid": organization,
      },
      body: JSON.stringify(body),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as { readonly [field: string]: string };
  };
  const manage = (method: string, body: object, organization: string) =>
    call(`${ManagementService.typeName}/${method}`, body, organization);

  const { id: org = "" } = await manage("AddOrg", { name: "Acme" }, "");
  const { id: projectId } = await manage("AddProject", { name: "Shop" }, org);
  const { userId } = await manage("AddMachineUser", { userName: "Robot", name: "Robot" }, org);
  const { tokenId } = await manage("AddPersonalAccessToken", { userId }, org);
  const expirationDate = "2999-01-01T00:00:00.5Z";
  await manage("AddPersonalAccessToken", { userId, expirationDate }, org);
  await manage("RemovePersonalAccessToken", { userId, tokenId }, org);
  await manage("AddOrgMember", { userId, roles: ["ORG_OWNER"] }, org);
  await manage("AddProjectMember", { userId, projectId, roles: ["PROJECT_OWNER"] }, org);
  await call(`${AdminService.typeName}/AddIAMMember`, { userId, roles: ["IAM_OWNER_VIEWER"] }, "");
  const redirectUris = ["https://app.example.com/callback", "my.app:/callback"];
  await manage("AddOIDCApp", { projectId, name: "Wéb", redirectUris, clockSkew: "1.5s" }, org);
  await manage("AddAPIApp", { projectId, name: v7() }, org);
}
