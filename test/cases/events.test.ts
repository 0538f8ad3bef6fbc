import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type {
  ListEventsRequest,
  ListEventsRequestSchema,
} from "../../gen/iam/admin/v1/event_search_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenStory, type Names, oncePerServer, startMs } from "./events.ts";

const { listEvents } = AdminService.method;

type Given = Exclude<MessageInitShape<typeof ListEventsRequestSchema>, ListEventsRequest>;

const story = oncePerServer(givenStory);

/** What is asked for, and which of the eight events of the story are found, oldest first. */
type Found = readonly [
  what: string,
  request: Given | ((names: Names & { readonly at: (index: number) => bigint }) => Given),
  found: readonly number[],
];

function at(afterMs: number, moreNanos = 0): Timestamp {
  const time = timestampFromMs(startMs + afterMs);
  return { ...time, nanos: time.nanos + moreNanos };
}

function range(since: Timestamp | undefined, until: Timestamp | undefined): Given {
  const value = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  return { creationDateFilter: { case: "range", value } };
}

function from(time: Timestamp): Given {
  return { creationDateFilter: { case: "from", value: time } };
}

const later = at(1e12);

/** Without what editors did to their own users. */
const ofOthers = { aggregateTypes: ["action", "project"] };

/** Found in either order. */
const both: readonly Found[] = [
  ["an organization", ({ a }) => ({ resourceOwner: a }), [0, 1, 3, 4, 6, 7]],
  ["an organization that is unknown", { resourceOwner: "nobody" }, []],
  ["an organization in another case", ({ a }) => ({ resourceOwner: a.toUpperCase() }), []],
  ["a type", { eventTypes: ["project.deactivated"] }, [3]],
  ["types", { eventTypes: ["action.removed", "project.reactivated"] }, [6, 7]],
  ["a type twice", { eventTypes: ["action.removed", "action.removed"] }, [7]],
  ["types of which one is unknown", { eventTypes: ["action.removed", "action"] }, [7]],
  ["a type that is unknown", { eventTypes: ["action"] }, []],
  ["a type in another case", { eventTypes: ["Action.Removed"] }, []],
  ["a type with a wildcard", { eventTypes: ["action.%", "action.*"] }, []],
  ["an object type", { aggregateTypes: ["action"] }, [1, 2, 4, 5, 7]],
  ["object types", { aggregateTypes: ["action", "none"] }, [1, 2, 4, 5, 7]],
  ["an object type that is unknown", { aggregateTypes: ["act"] }, []],
  ["an object type with a hyphen", { aggregateTypes: ["action-"] }, []],
  [
    "an id that objects of two types have",
    ({ other }) => ({ aggregateId: other }),
    [0, 2, 3, 5, 6],
  ],
  ["an id", ({ action }) => ({ aggregateId: action }), [1, 4, 7]],
  ["an id that is unknown", { aggregateId: "none" }, []],
  ["a part of an id", ({ action }) => ({ aggregateId: action.slice(0, -1) }), []],
  ["an id with the type before it", ({ action }) => ({ aggregateId: `action-${action}` }), []],
  ["an editor", ({ ada }) => ({ editorUserId: ada, ...ofOthers }), [0, 2, 3, 4]],
  ["another editor", ({ bob }) => ({ editorUserId: bob, ...ofOthers }), [1, 5, 6, 7]],
  ["an editor who is unknown", { editorUserId: "none" }, []],
  ["an editor who is no user", { editorUserId: "test" }, []],

  ["a time", range(at(1_000), at(1_000)), [1, 2]],
  ["a time since the beginning", range(undefined, at(2_000)), [0, 1, 2, 3]],
  ["the time until now", ({ a }) => ({ ...range(at(4_000), undefined), resourceOwner: a }), [6, 7]],
  ["all time", ({ b }) => ({ ...range(undefined, undefined), resourceOwner: b }), [2, 5]],
  ["a time that ends before it begins", range(at(2_000), at(1_999)), []],
  ["a time between two milliseconds", range(at(1_000, 1), at(1_000, 999_999)), []],
  ["a time a bit before to a bit after", range(at(999, 999_999), at(1_000, 1)), [1, 2]],
  ["a time before the first event", range(at(-1e9), at(-1)), []],
  ["a time after all events", range(later, later), []],

  [
    "a type of an organization by an editor",
    ({ b, bob }) => ({
      resourceOwner: b,
      eventTypes: ["action.deactivated"],
      editorUserId: bob,
    }),
    [5],
  ],
  [
    "an object type and an id",
    ({ other }) => ({ aggregateTypes: ["action"], aggregateId: other }),
    [2, 5],
  ],
  [
    "an organization that does not own the object",
    ({ b, action }) => ({ resourceOwner: b, aggregateId: action }),
    [],
  ],
  [
    "everything",
    ({ a, action, ada }) => ({
      ...range(at(3_000), at(3_000)),
      resourceOwner: a,
      aggregateId: action,
      editorUserId: ada,
      aggregateTypes: ["project", "action"],
      eventTypes: ["action.removed", "action.deactivated"],
      creationDate: later,
      limit: 1,
    }),
    [4],
  ],
];

const upwards: readonly Found[] = [
  ["after a position", ({ at: index, a }) => ({ sequence: index(3), resourceOwner: a }), [4, 6, 7]],
  ["after the last position", ({ at: index, a }) => ({ sequence: index(7), resourceOwner: a }), []],
  ["after what is beyond the log", { sequence: 2n ** 53n - 1n }, []],
  ["no more than asked for", ({ a }) => ({ resourceOwner: a, limit: 2 }), [0, 1]],
  ["from a time on", ({ a }) => ({ ...from(at(4_000)), resourceOwner: a }), [6, 7]],
  ["from a bit later on", ({ b }) => ({ ...from(at(1_000, 1)), resourceOwner: b }), [5]],
  [
    "from a time on, by the old field",
    ({ b }) => ({ creationDate: at(4_000), resourceOwner: b }),
    [5],
  ],
  [
    "from a time on, whatever the old field says",
    ({ b }) => ({ ...from(at(0)), creationDate: later, resourceOwner: b }),
    [2, 5],
  ],
];

/** Found newest first, and written so. */
const downwards: readonly Found[] = [
  ["before a position", ({ at: index, a }) => ({ sequence: index(3), resourceOwner: a }), [1, 0]],
  ["before the first position", { sequence: 1n }, []],
  [
    "before what is beyond the log",
    ({ b }) => ({ sequence: 2n ** 53n - 1n, resourceOwner: b }),
    [5, 2],
  ],
  ["no more than asked for", ({ a }) => ({ resourceOwner: a, limit: 2 }), [7, 6]],
  ["from a time back", from(at(1_000)), [2, 1, 0]],
  ["from a bit earlier back", from(at(999, 999_999)), [0]],
  ["from a time back, by the old field", { creationDate: at(0) }, [0]],
  ["from a time back, whatever the old field says", { ...from(at(0)), creationDate: later }, [0]],
];

runCases("ListEvents", [
  ...both.flatMap(([what, request, found]) => [
    finds(`${what}, oldest first`, request, found, true),
    finds(`${what}, newest first`, request, found.toReversed(), false),
  ]),
  ...upwards.map(([what, request, found]) => finds(what, request, found, true)),
  ...downwards.map(([what, request, found]) => finds(what, request, found, false)),
]);

function finds(what: string, request: Found[1], found: Found[2], asc: boolean) {
  return row(`finds ${what}`, listEvents, async ({ server }) => {
    const { positions, ...names } = await story(server);
    const at = (index: number) => positions[index]!;
    const given = typeof request === "function" ? request({ ...names, at }) : request;
    return {
      request: { ...given, asc },
      expected: {
        ok({ events }, written) {
          expect(events.map(({ sequence }) => positions.indexOf(sequence))).toEqual(found);
          expect(written).toEqual([]);
        },
      },
    };
  });
}
