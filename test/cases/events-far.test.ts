import { type Message, toBinary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import {
  type ListEventsResponse,
  ListEventsResponseSchema,
} from "../../gen/iam/admin/v1/event_search_pb.js";
import { action } from "../../src/domain/action.ts";
import { idp } from "../../src/domain/idp.ts";
import { searchLimits } from "../../src/store/query.ts";
import { appendLimits } from "../../src/store/store.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { isFull } from "../harness/extent.ts";
import type { TestServer } from "../harness/server.ts";
import { anyNoun, happened, oncePerServer, startMs, switching } from "./events.ts";
import { granted } from "./stored.ts";

const { listEvents } = AdminService.method;
const owner = "far";

/** What one answer must not pass: more is refused by many clients of gRPC. */
const answerBytesMax = 4 * 1024 * 1024;

function at(noun: Parameters<typeof happened>[1]["noun"], id = v7()) {
  return { noun, id, owner, actor: "test", timeMs: startMs };
}

/** Rare events, with more between each two of them than one search looks at. */
const rareEvents = isFull ? 3 : 2;
const rare = oncePerServer(async (server) => {
  const positions: bigint[] = [];
  for (let part = 0; part < rareEvents; part += 1) {
    if (part > 0) await manyEvents(server);
    const events = [{ type: "idp.config.added", payload: { name: v7(), serves: "INSTANCE" } }];
    positions.push(await happened(server, { ...at(anyNoun(idp)), events }));
  }
  return positions;
});

async function manyEvents(server: TestServer): Promise<void> {
  const step = appendLimits.events;
  for (let made = 0; made <= searchLimits.positions; made += step) {
    await happened(server, { ...at(anyNoun(action)), events: switching(step - 1) });
  }
}

/** Events whose answers are large, each kind of them in an organization of its own. */
const large = oncePerServer(async (server) => ({
  // As large as metadata may be: four of them do not fit into one answer.
  metadata: await largeEvents(server, 6, () => ({ metadataXml: "ä".repeat(512 * 1024) })),
  // Their payloads fit, but not with what is around each of them.
  many: await largeEvents(server, 1_000, () => ({
    text: "n".repeat(searchLimits.payloadBytes / 1_000 - 100),
  })),
}));

async function largeEvents(server: TestServer, count: number, payload: () => object) {
  const place = { ...at(anyNoun(action)), owner: v7() };
  const [added] = switching(0);
  const event = { type: "action.added", payload: { ...added!.payload, ...payload() } };
  const last = await happened(server, { ...place, events: Array(count).fill(event) });
  const first = last - BigInt(count) + 1n;
  const positions = Array.from({ length: count }, (_none, index) => first + BigInt(index));
  return { request: { resourceOwner: place.owner, limit: 1_000 }, positions };
}

runCases("ListEvents in a log of many events", [
  ...[true, false].map((asc) =>
    row(`finds what is rare in one answer, asc ${asc}`, listEvents, async ({ server }) => {
      const positions = await rare(server);
      return {
        request: { resourceOwner: owner, eventTypes: ["idp.config.added"], asc },
        expected: {
          ok({ events }) {
            const found = events.map(({ sequence }) => sequence);
            expect(found).toEqual(asc ? positions : positions.toReversed());
          },
        },
      };
    }),
  ),
  row("finds as many of what is rare as are asked for", listEvents, async ({ server }) => {
    const positions = await rare(server);
    const limit = rareEvents - 1;
    return {
      request: { eventTypes: ["idp.config.added"], limit, asc: true },
      expected: {
        ok({ events }) {
          const found = events.map(({ sequence }) => sequence);
          expect(found).toEqual(positions.slice(0, limit));
        },
      },
    };
  }),
  row("finds nothing where there is nothing", listEvents, async ({ server }) => {
    await rare(server);
    return {
      request: { eventTypes: ["none"] },
      expected: { ok: ({ events }) => expect(events).toEqual([]) },
    };
  }),

  cuts("metadata", 3),
  cuts("many", 3),
]);

function cuts(what: "metadata" | "many", count: number) {
  return row(
    `cuts ${what} into answers that can be read, without gap or repeat`,
    listEvents,
    async (world) => {
      const { [what]: given } = await large(world.server);
      const pages = await pagesOf(world, given.request);
      expect(pages.flat()).toEqual(given.positions);
      expect(pages).toHaveLength(count);
      return {
        request: given.request,
        expected: {
          ok({ events }) {
            const found = events.map(({ sequence }) => sequence);
            expect(found).toEqual(given.positions.slice(-found.length).toReversed());
          },
        },
      };
    },
    {
      clients: ["grpc-js"],
      because: "what fits is found out behind the protocols, and this one takes no more than 4 MiB",
    },
  );
}

/** The positions of all pages, the last and empty one among them; none is larger than allowed. */
async function pagesOf(
  world: World,
  request: { readonly resourceOwner: string; readonly limit: number },
): Promise<readonly (readonly bigint[])[]> {
  const pages: bigint[][] = [];
  for (;;) {
    const sequence = pages.at(-1)?.at(-1) ?? 0n;
    const answer = await world.call(listEvents, { ...request, asc: true, sequence });
    const page = granted<ListEventsResponse & Message>(answer);
    expect(toBinary(ListEventsResponseSchema, page).byteLength).toBeLessThanOrEqual(answerBytesMax);
    pages.push(page.events.map((event) => event.sequence));
    if (page.events.length === 0) return pages;
  }
}
