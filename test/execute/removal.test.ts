import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { app, appsOf } from "../../src/domain/app/app.ts";
import { removeApp } from "../../src/domain/app/change.ts";
import { addAPIApp } from "../../src/domain/app/create.ts";
import { endDependants } from "../../src/domain/dependants.ts";
import { type IDPEvent, idp, linksTo } from "../../src/domain/idp.ts";
import { removeIDP } from "../../src/domain/idp-change.ts";
import { org } from "../../src/domain/org.ts";
import { project } from "../../src/domain/project.ts";
import { removeProject } from "../../src/domain/removal.ts";
import { importHuman, type NewHuman } from "../../src/domain/user/human/human.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { Outcome } from "../../src/execute/command.ts";
import { findDependants } from "../../src/execute/dependants.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { clear } from "../cases/orgs.ts";
import { listed } from "../store/fixture.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";
import { addApp, addProject, nameOrg } from "./place.ts";

// Two processes on one file: what goes away takes along, or is kept by, what belongs to it. Either
// may come first.

let place: SqlitePlace;
let store: Store;
let here: Execute;
let elsewhere: Execute;

beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open(projector);
  here = createExecute(store, Date.now);
  elsewhere = createExecute(await place.open(projector), Date.now);
});

afterEach(() => place.remove());

const organization = "o";
const rounds = Array.from({ length: 25 }, (_, index) => `${index}`);

test("no application is left in a project that is removed", async () => {
  const outcomes = await Promise.all(
    rounds.map(async (id) => {
      await addProject(here, id, id, organization);
      await addApp(here, `${id} first`, "first", id, `${id} first`);
      const adding = addingApps(here, id);
      // The number stays the same where one goes and another comes.
      const removingOne = goneApp(here, id, `${id} first`);
      return [await removed(elsewhere, id), endOf(await removingOne), ...(await adding)];
    }),
  );
  expect(outcomes.map(([removal]) => removal)).toEqual(rounds.map(() => "done"));
  const possible = ["done", "PROJECT_NOT_FOUND", "APP_NOT_FOUND"];
  expect(outcomes.flat().filter(isNone(possible))).toEqual([]);
  await clear({ store, execute: elsewhere });
  for (const id of rounds) {
    expect(await store.holders(appsOf(id), 1)).toEqual({ total: 0, streams: [] });
    const { total } = await listed(store, { kind: "app", parents: [id], offset: 0, limit: 1 });
    expect(total).toBe(0);
  }
});

test("nobody is linked to a provider that is removed", async () => {
  const outcomes = await Promise.all(
    rounds.map(async (id) => {
      await newProvider(here, id);
      return Promise.all([linked(here, id), goneProvider(elsewhere, id)]);
    }),
  );
  // One of the two came first, and the other was told so.
  const ends = outcomes.map((pair) => pair.map(endOf).join(", "));
  const possible = ["done, IDP_IN_USE", "IDP_NOT_USABLE, done"];
  expect(ends.filter(isNone(possible))).toEqual([]);
  for (const [index, id] of rounds.entries()) {
    const isLinked = ends[index] === possible[0];
    const [provider] = await store.load([`idp-${id}`]);
    expect(provider?.state !== undefined).toBe(isLinked);
    expect((await store.holders(linksTo(id), 1)).total).toBe(isLinked ? 1 : 0);
  }
});

test("nothing is left of an organization, whatever came while it was removed", async () => {
  await Promise.all(
    rounds.map(async (id) => {
      await nameOrg(here, id, id);
      await addProject(here, id, id, id);
      await addApp(here, `${id} first`, "first", id, `${id} first`);
      // Found before another comes, and removed after that.
      const { dependants, ...found } = await findDependants(store, { kind: "org", id });
      const coming =
        Number(id) % 2 === 0
          ? newApp(here, id, `${id} second`, id)
          : goneApp(here, id, `${id} first`);
      await Promise.all([
        coming,
        elsewhere({
          actor: "x",
          ...found,
          writes: { org: { noun: org, id }, ...found.writes },
          decide: (states) => ({
            events: {
              org: [{ type: "org.removed" as const, payload: {} }],
              ...endDependants(states, dependants, { kind: "org", id }),
            },
          }),
        }),
      ]);
    }),
  );
  await clear({ store, execute: elsewhere });
  const events = await store.readAll(0n, 1_000);
  const streams = [...new Set(events.map(({ stream }) => stream))];
  const objects = await store.load(streams);
  expect(objects.filter(({ state }) => state !== undefined)).toEqual([]);
});

function endOf(outcome: Outcome): string {
  return outcome.kind === "rejected" ? outcome.rejection.reason : outcome.kind;
}

function isNone(possible: readonly string[]) {
  return (end: string) => !possible.includes(end);
}

/** Adds applications one after the other, and answers how each attempt ended. */
async function addingApps(by: Execute, projectId: string): Promise<readonly string[]> {
  const ends: string[] = [];
  while (ends.length < 12) {
    ends.push(endOf(await newApp(by, projectId, `${projectId} ${ends.length}`)));
  }
  return ends;
}

/** Removes the project; who gives way to the others asks again, as callers are told to. */
async function removed(by: Execute, id: string): Promise<string> {
  const end = endOf(await gone(by, id));
  return end === "conflict" ? removed(by, id) : end;
}

function newApp(by: Execute, projectId: string, id: string, owner = organization) {
  const ids = { organization: owner, projectId, clientId: id };
  const added = { ...ids, name: id, clientSecretHash: "h" };
  return by({
    actor: "x",
    writes: { app: { noun: app, id, owner } },
    relies: { project: { noun: project, id: projectId } },
    decide: (states) => addAPIApp(states, added, "BASIC"),
  });
}

function goneApp(by: Execute, projectId: string, id: string) {
  return by({
    actor: "x",
    writes: { app: { noun: app, id } },
    relies: { project: { noun: project, id: projectId } },
    decide: (states) => removeApp(states, { organization, projectId }),
  });
}

async function gone(by: Execute, id: string) {
  const { dependants, writes } = await findDependants(store, { kind: "project", id });
  return await by({
    actor: "x",
    writes: { project: { noun: project, id }, ...writes },
    decide: (states) => removeProject(states, dependants, { organization, projectId: id }),
  });
}

function newProvider(by: Execute, id: string) {
  const added: IDPEvent = {
    type: "idp.config.added",
    payload: { name: id, serves: "ORGANIZATION", stylingType: "UNSPECIFIED", autoRegister: false },
  };
  return by({
    actor: "x",
    writes: { idp: { noun: idp, id, owner: organization } },
    relies: {},
    decide: () => ({ events: { idp: [added] } }),
  });
}

function goneProvider(by: Execute, id: string) {
  return by({
    actor: "x",
    writes: { idp: { noun: idp, id } },
    relies: {},
    groups: { linked: { noun: user, ...linksTo(id) } },
    decide: (states) => removeIDP(states, "ALL"),
  });
}

function linked(by: Execute, idpId: string) {
  const human = {
    organization,
    added: {
      ...{ userName: idpId, firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
      ...{ preferredLanguage: "", gender: "UNSPECIFIED", passwordChangeRequired: false },
      email: "ada@example.com",
    },
    ...{ isEmailVerified: false, isPhoneVerified: false },
    externalIDPs: [{ idpId, externalUserId: "ada", displayName: "" }],
    ...{ initializationCode: "sealed", phoneCode: "sealed" },
  } as unknown as NewHuman;
  return by({
    actor: "x",
    writes: { user: { noun: user, id: idpId, owner: organization } },
    relies: { [`idp-${idpId}` as const]: { noun: idp, id: idpId } },
    decide: (states, nowMs) => importHuman(states, human, nowMs),
  });
}
