import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { action } from "../../src/domain/action.ts";
import { anyNoun, givenStory, happened, type Names, startMs, switching } from "../cases/events.ts";
import { startTwin, type Twin } from "../cases/twin.ts";
import { describeFew } from "../harness/in-full.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { type Watch, type WatchRequest, watchClients, watching } from "../harness/watches.ts";

let server: TestServer;
let twin: Twin;
let story: Names & { readonly positions: readonly bigint[] };
let owner: string;

beforeAll(async () => {
  server = await startServer({ watchLimits: { heldEvents: 7, silenceMs: 50 } });
  twin = await startTwin(server);
  story = await givenStory(server);
});

beforeEach(() => {
  owner = v7();
});

afterAll(async () => {
  await twin.close();
  await server.close();
});

/** Makes so many events of an organization; answers the position of the last. */
function happens(count: number, by: Pick<Twin, "log"> = server): Promise<bigint> {
  const place = { noun: anyNoun(action), id: v7(), owner, actor: "test", timeMs: startMs };
  return happened(by, { ...place, events: switching(count - 1) });
}

function between(first: bigint, last: bigint): readonly bigint[] {
  return Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
}

/** What is asked for, and which events of the story are sent. */
const filters: readonly (readonly [string, (names: Names) => WatchRequest, readonly number[]])[] = [
  ["an organization", ({ a }) => ({ resourceOwner: a }), [0, 1, 3, 4, 6, 7]],
  ["types", () => ({ eventTypes: ["action.removed", "project.reactivated", "none"] }), [6, 7]],
  ["object types", ({ b }) => ({ aggregateTypes: ["action"], resourceOwner: b }), [2, 5]],
  ["an id", ({ other }) => ({ aggregateId: other }), [0, 2, 3, 5, 6]],
  [
    "everything",
    ({ a, other }) => ({
      resourceOwner: a,
      eventTypes: ["project.deactivated", "action.deactivated"],
      aggregateTypes: ["project", "user"],
      aggregateId: other,
    }),
    [3],
  ],
];

describeFew(2).each(watchClients)("a watch over %s", (client) => {
  const open = (request: WatchRequest, token = server.admin.token) =>
    watching(client, server.url, token, request);

  /** Runs the body with a watch, and calls that off. */
  async function withWatch(
    request: WatchRequest,
    body: (watch: Watch) => Promise<void>,
    token?: string,
  ): Promise<void> {
    const watch = open(request, token);
    try {
      await body(watch);
    } finally {
      await watch.leave();
    }
  }

  test("sends the whole log in order, and then what happens", async () => {
    const head = await server.head();
    await withWatch({}, async (watch) => {
      expect(await watch.positions(Number(head))).toEqual(between(1n, head));
      const last = await happens(3);
      expect(await watch.positions(3)).toEqual(between(last - 2n, last));
      await happens(1);
      expect(await watch.positions(1)).toEqual([last + 1n]);
    });
  });

  test("begins after a position, and says how far it has come", async () => {
    const last = await happens(12);
    await withWatch({ sequence: last - 10n }, async (watch) => {
      for (const position of between(last - 9n, last)) {
        const { event, processedSequence } = await watch.next();
        expect([event?.sequence, processedSequence]).toEqual([position, position]);
      }
    });
  });

  test("says at once that there is nothing, and then sends what happens", async () => {
    const head = await server.head();
    await withWatch({ sequence: head, resourceOwner: owner }, async (watch) => {
      expect(await watch.next()).toMatchObject({ processedSequence: head });
      const last = await happens(2);
      expect(await watch.positions(2)).toEqual([last - 1n, last]);
    });
  });

  test("waits for a position that the log has not reached", async () => {
    const head = await server.head();
    await withWatch({ sequence: head + 3n }, async (watch) => {
      const answer = await watch.next();
      expect(answer.event).toBeUndefined();
      expect(answer.processedSequence).toBe(head + 3n);
      await happens(3);
      await happens(2);
      expect(await watch.positions(2)).toEqual([head + 4n, head + 5n]);
    });
  });

  test("sends what another process wrote", async () => {
    await withWatch({ resourceOwner: owner }, async (watch) => {
      const answer = await watch.next();
      expect(answer.event).toBeUndefined();
      const last = await happens(1, twin);
      expect(await watch.positions(1)).toEqual([last]);
    });
  });

  test.each(filters)("sends of %s no other events", async (_, request, found) => {
    await withWatch({ ...request(story), sequence: story.positions[0]! - 1n }, async (watch) => {
      const positions = found.map((index) => story.positions[index]!);
      expect(await watch.positions(positions.length)).toEqual(positions);
      // Nothing follows but the news that there is nothing.
      const answer = await watch.next();
      expect([answer.event, answer.processedSequence]).toEqual([undefined, await server.head()]);
    });
  });

  test("says again and again that there is nothing", async () => {
    await withWatch({ resourceOwner: owner }, async (watch) => {
      for (let time = 0; time < 3; time += 1) expect((await watch.next()).event).toBeUndefined();
    });
  });

  test.each<readonly [string, WatchRequest]>([
    ["organizations", { resourceOwner: "none" }],
    ["types", { eventTypes: ["project"] }],
    ["object types", { aggregateTypes: ["app-"] }],
    ["ids", { aggregateId: "none" }],
  ])("sends nothing of unknown %s, but how far it looked", async (_, request) => {
    const head = await server.head();
    await withWatch(request, async (watch) => {
      const answer = await watch.next();
      expect([answer.event, answer.processedSequence]).toEqual([undefined, head]);
    });
  });

  test.each<readonly [string, string, WatchRequest, number, string]>([
    ["without a token", "", {}, 16, "UNAUTHENTICATED"],
    ["with a wrong token", "wrong", {}, 16, "UNAUTHENTICATED"],
    ["from a position past 2^53 - 1", "admin", { sequence: 2n ** 53n }, 3, "INVALID_FIELDS"],
    ["of an empty type", "admin", { eventTypes: [""] }, 3, "INVALID_FIELDS"],
  ])("is refused %s", async (_, token, request, code, reason) => {
    const watch = open(request, token === "admin" ? server.admin.token : token);
    expect(await watch.end()).toEqual({ code, reason, positions: [] });
  });
});

describe("a watch by", () => {
  const denied = { code: 7, reason: "PERMISSION_DENIED", positions: [] };
  let mine: string;
  let theirs: string;
  let tokens: { readonly [who: string]: string };

  beforeAll(async () => {
    mine = await givenOrganization(server);
    theirs = await givenOrganization(server);
    const organization = { level: "organization", organization: mine } as const;
    const project = { level: "project", organization: mine, project: "p1" } as const;
    const holders = {
      IAM_OWNER: { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
      IAM_OWNER_VIEWER: { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] },
      ORG_OWNER: { scope: organization, roles: ["ORG_OWNER"] },
      ORG_OWNER_VIEWER: { scope: organization, roles: ["ORG_OWNER_VIEWER"] },
      ORG_USER_MANAGER: { scope: organization, roles: ["ORG_USER_MANAGER"] },
      PROJECT_OWNER: { scope: project, roles: ["PROJECT_OWNER"] },
    } as const;
    const made = Object.entries(holders).map(async ([role, membership]) => {
      const { token } = await givenUser(server, mine, [membership]);
      return [role, token] as const;
    });
    tokens = Object.fromEntries(await Promise.all(made));
  });

  const may: readonly (readonly [who: string, what: "mine" | "theirs" | "all"])[] = [
    ["IAM_OWNER", "mine"],
    ["IAM_OWNER", "theirs"],
    ["IAM_OWNER", "all"],
    ["IAM_OWNER_VIEWER", "mine"],
    ["IAM_OWNER_VIEWER", "theirs"],
    ["IAM_OWNER_VIEWER", "all"],
    ["ORG_OWNER", "mine"],
  ];
  const everything = ["mine", "theirs", "all"] as const;
  const cases = ["IAM_OWNER", "IAM_OWNER_VIEWER", "ORG_OWNER"].flatMap((who) =>
    everything.map((what) => ({ who, what })),
  );
  const isAllowed = ({ who, what }: (typeof cases)[number]) =>
    may.some(([whoMay, whatThey]) => whoMay === who && whatThey === what);
  const others = ["ORG_OWNER_VIEWER", "ORG_USER_MANAGER", "PROJECT_OWNER"];
  const refused = [
    ...cases.filter((one) => !isAllowed(one)),
    ...others.flatMap((who) => everything.map((what) => ({ who, what }))),
    { who: "ORG_OWNER", what: "unknown" as const },
  ];

  const openAs = (who: string, what: (typeof everything)[number] | "unknown") => {
    const owners = { mine, theirs, all: "", unknown: "unknown" };
    return watching("connect", server.url, tokens[who]!, { resourceOwner: owners[what] });
  };

  test.each(cases.filter(isAllowed))("$who of $what is let through", async ({ who, what }) => {
    const watch = openAs(who, what);
    expect(await watch.next()).toBeDefined();
    await watch.leave();
  });

  test.each(refused)("$who of $what is refused", async ({ who, what }) => {
    expect(await openAs(who, what).end()).toEqual(denied);
  });
});
