import { toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { ListEventsResponse } from "../../gen/iam/admin/v1/event_search_pb.js";
import { EventSchema } from "../../gen/iam/event/v1/event_pb.js";
import { action } from "../../src/domain/action.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { anyNoun, happened, oncePerServer, startMs, switching } from "./events.ts";
import { timeJson } from "./given.ts";
import { granted } from "./stored.ts";

const { listEvents } = AdminService.method;
const actions = anyNoun(action);
const users = anyNoun(user);

/** An organization with 1,001 events; the positions of the first and the last. */
const many = oncePerServer(async (server) => {
  const owner = v7();
  const place = { noun: actions, id: v7(), owner, actor: "test", timeMs: startMs };
  const [added, ...switched] = switching(1_000);
  const first = await happened(server, { ...place, events: [added!] });
  const last = await happened(server, { ...place, events: switched });
  return { owner, first, last };
});

runCases("ListEvents", [
  ...[true, false].flatMap((asc) => [
    holds(`100 events where it is not told how many, asc ${asc}`, 0, 100, asc),
    holds(`one event, asc ${asc}`, 1, 1, asc),
    holds(`1,000 events, asc ${asc}`, 1_000, 1_000, asc),
  ]),
  row("refuses to hold 1,001 events", listEvents, () => ({
    request: { limit: 1_001 },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["limit"] },
  })),
  row("refuses a position that JSON would not tell from another", listEvents, () => ({
    request: { sequence: 2n ** 53n },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["sequence"] },
  })),

  row("begins with the first event of the log, upwards", listEvents, () => ({
    request: { asc: true, limit: 3 },
    expected: {
      ok({ events }) {
        expect(events.map(({ sequence }) => sequence)).toEqual([1n, 2n, 3n]);
        expect(events[0]!.type?.type).toBe("log.begun");
      },
    },
  })),
  row("begins with the last event of the log, downwards", listEvents, async (world) => {
    const head = await world.server.head();
    return {
      request: { limit: 3 },
      expected: {
        ok({ events }) {
          expect(events.map(({ sequence }) => sequence)).toEqual([head, head - 1n, head - 2n]);
        },
      },
    };
  }),

  row("is paged to the end without gap or repeat, while it grows", listEvents, async (world) => {
    const owner = v7();
    const asc = true;
    const happen = happenings(world.server, owner);
    const positions = [...(await happen(10))];
    const found: bigint[] = [];
    for (let more = 3; ; more -= 1) {
      const page = await pageOf(world, { asc, resourceOwner: owner, sequence: found.at(-1) ?? 0n });
      expect(page.length).toBeLessThanOrEqual(4);
      if (page.length === 0) break;
      found.push(...page);
      // Each time while somebody reads, and no more when that reader is nearly there.
      if (more > 0) positions.push(...(await happen(2)));
    }
    expect(found).toEqual(positions);
    return { request: { asc, resourceOwner: owner, sequence: found.at(-1)! }, expected: nothing };
  }),
  row("is paged to its beginning, whatever grows behind", listEvents, async (world) => {
    const owner = v7();
    const happen = happenings(world.server, owner);
    const positions = await happen(10);
    const found: bigint[] = [];
    for (;;) {
      const page = await pageOf(world, { resourceOwner: owner, sequence: found.at(-1) ?? 0n });
      if (page.length === 0) break;
      found.push(...page);
      await happen(2);
    }
    expect(found).toEqual(positions.toReversed());
    return { request: { resourceOwner: owner, sequence: found.at(-1)! }, expected: nothing };
  }),

  row("shows an event whole", listEvents, async ({ server, unique }) => {
    const { ada, owner } = await people(server);
    const [added] = switching(0, unique);
    const place = { noun: actions, id: unique, owner, actor: ada, timeMs: startMs + 7 };
    const position = await happened(server, { ...place, events: [added!] });
    return {
      request: { aggregateId: unique },
      expected: {
        ok({ events }) {
          expect(events.map((event) => toJson(EventSchema, event))).toEqual([
            {
              editor: { userId: ada, displayName: "Ada Lovelace", service: "iam" },
              aggregate: {
                id: unique,
                type: {
                  type: "action",
                  localized: { key: "AggregateTypes.action", localizedMessage: "Action" },
                },
                resourceOwner: owner,
              },
              sequence: String(position),
              creationDate: timeJson(startMs + 7),
              payload: { name: unique, script: "1", timeoutNanos: 1e10, allowedToFail: false },
              type: {
                type: "action.added",
                localized: { key: "EventTypes.action.added", localizedMessage: "Action added" },
              },
            },
          ]);
        },
      },
    };
  }),
  shows("the name of a machine", ({ machine }) => [machine, machine]),
  shows("the id of a user who was removed", ({ removed }) => [removed, ""]),
  shows("nobody where a part of the service did it", () => ["", ""], "notify"),
  shows("nobody where nobody is known", () => ["", ""], ""),
]);

const nothing = { ok: ({ events }: ListEventsResponse) => expect(events).toEqual([]) };

function holds(what: string, limit: number, count: number, asc: boolean) {
  return row(`holds ${what}`, listEvents, async ({ server }) => {
    const { owner, first, last } = await many(server);
    return {
      request: { resourceOwner: owner, limit, asc },
      expected: {
        ok({ events }) {
          const found = events.map(({ sequence }) => sequence);
          const ordered = asc ? found : found.toReversed();
          const start = asc ? first : last - BigInt(count) + 1n;
          const all = Array.from({ length: count }, (_none, index) => start + BigInt(index));
          expect(ordered).toEqual(all);
        },
      },
    };
  });
}

/** Makes so many events of an organization, with those of others between; answers where. */
function happenings(server: TestServer, owner: string) {
  return async (count: number): Promise<readonly bigint[]> => {
    const positions: bigint[] = [];
    for (let made = 0; made < count; made += 1) {
      const place = { noun: actions, id: v7(), owner, actor: "test", timeMs: startMs };
      positions.push(await happened(server, { ...place, events: switching(0) }));
      await happened(server, { ...place, id: v7(), owner: "other", events: switching(0) });
    }
    return positions;
  };
}

async function pageOf(
  world: World,
  request: { readonly asc?: boolean; readonly resourceOwner: string; readonly sequence: bigint },
): Promise<readonly bigint[]> {
  const answer = await world.call(listEvents, { ...request, limit: 4 });
  return granted<ListEventsResponse>(answer).events.map(({ sequence }) => sequence);
}

interface People {
  readonly owner: string;
  readonly ada: string;
  readonly machine: string;
  readonly removed: string;
}

const people = oncePerServer(async (server): Promise<People> => {
  const owner = v7();
  const [ada, removed] = [v7(), v7()];
  const place = { noun: users, owner, actor: "test", timeMs: startMs };
  const ofAda = { firstName: "Ada", lastName: "Lovelace", displayName: "Ada Lovelace" };
  const rest = { nickName: "", preferredLanguage: "", gender: "UNSPECIFIED" };
  const account = { email: "ada@example.com", passwordChangeRequired: false };
  const added = (userName: string) => {
    const payload = { ...ofAda, ...rest, ...account, userName };
    return { type: "user.human.added", payload };
  };
  await happened(server, { ...place, id: ada, events: [added(ada)] });
  const gone = [added(removed), { type: "user.removed", payload: {} }];
  await happened(server, { ...place, id: removed, events: gone });
  const { userId: machine } = await givenUser(server, owner);
  return { owner, ada, machine, removed };
});

/** Who is shown as the editor of what they did: id and name. */
function shows(
  what: string,
  editor: (given: People) => readonly [id: string, name: string],
  actor?: string,
) {
  return row(`shows ${what} as the editor`, listEvents, async ({ server, unique }) => {
    const given = await people(server);
    const [userId, displayName] = editor(given);
    const { owner } = given;
    const place = { noun: actions, id: unique, owner, actor: actor ?? userId, timeMs: startMs };
    await happened(server, { ...place, events: switching(0, unique) });
    return {
      request: { aggregateId: unique, ...(actor === undefined ? { editorUserId: userId } : {}) },
      expected: {
        ok({ events }) {
          const [event, ...more] = events;
          expect(more).toEqual([]);
          expect(event!.editor).toMatchObject({ userId, displayName, service: "iam" });
        },
      },
    };
  });
}
