import { setImmediate as nextTurn } from "node:timers/promises";
import { toBinary } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ListEventsRequest } from "../../gen/iam/admin/v1/event_search_pb.js";
import { type Event, EventSchema } from "../../gen/iam/event/v1/event_pb.js";
import { streamOf } from "../domain/noun.ts";
import { user } from "../domain/user/state/user.ts";
import type { Asker, EventQuery } from "../store/query.ts";
import { readEventFilter, showEvents } from "./event.ts";
import type { Handlers } from "./handlers.ts";
import { askerOf } from "./listing.ts";
import type { Service } from "./service.ts";

/** Events of an answer where the request does not say how many. */
const limitDefault = 100;

/** Bytes of an answer, which is what many clients of gRPC take at most. */
const answerBytes = 4 * 1024 * 1024;

/** Bytes around an event in an answer: its field, and its length of at most four bytes. */
const frameBytes = 5;

/** The handler that searches the log. */
export function eventSearchHandlers(service: Service) {
  return {
    async listEvents(request, context) {
      const { editorUserId } = request;
      // The parts of the service that make events happen have names, but they are no ids of users.
      const isFindable = editorUserId === "" || (await wasUser(service, editorUserId));
      const query = { ...readQuery(request), asker: askerOf(context) };
      return { events: isFindable ? await collectEvents(service, query) : [] };
    },
  } satisfies Handlers;
}

async function wasUser({ store }: Pick<Service, "store">, id: string): Promise<boolean> {
  const [stored] = await store.load([streamOf(user, id)]);
  return stored !== undefined && stored.version > 0;
}

/** Collects as many events as are wanted and fit into an answer, however far apart they lie. */
async function collectEvents(
  service: Pick<Service, "store">,
  query: EventQuery & { readonly asker: Asker },
): Promise<Event[]> {
  const events: Event[] = [];
  let bytes = 0;
  let next = query;
  for (;;) {
    const page = await service.store.search({ ...next, limit: query.limit - events.length });
    for (const event of await showEvents(service, page.events)) {
      bytes += toBinary(EventSchema, event).byteLength + frameBytes;
      if (bytes > answerBytes && events.length > 0) return events;
      events.push(event);
    }
    if (page.isEnd || events.length >= query.limit || query.asker.signal.aborted) return events;
    next = query.descending ? { ...next, before: page.through } : { ...next, after: page.through };
    // A long way through the log must not keep anybody else waiting.
    await nextTurn();
  }
}

function readQuery(request: ListEventsRequest): EventQuery {
  const { sequence, limit, asc, editorUserId } = request;
  const from = { after: asc ? sequence : 0n };
  return {
    ...from,
    ...(asc || sequence === 0n ? {} : { before: sequence }),
    descending: !asc,
    limit: limit || limitDefault,
    ...readEventFilter(request),
    ...(editorUserId === "" ? {} : { actor: editorUserId }),
    ...readTimes(request),
  };
}

function readTimes({
  asc,
  creationDate,
  creationDateFilter,
}: ListEventsRequest): Pick<EventQuery, "fromMs" | "untilMs"> {
  if (creationDateFilter.case === "range") {
    const { since, until } = creationDateFilter.value;
    return { ...readSince(since), ...readUntil(until) };
  }
  const from = creationDateFilter.value ?? creationDate;
  return asc ? readSince(from) : readUntil(from);
}

// Events have whole milliseconds. A time between two of them is after the one and before the other.

function readSince(since: Timestamp | undefined): Pick<EventQuery, "fromMs"> {
  return since === undefined ? {} : { fromMs: toWholeMs(since) + Math.ceil(since.nanos / 1e6) };
}

function readUntil(until: Timestamp | undefined): Pick<EventQuery, "untilMs"> {
  return until === undefined ? {} : { untilMs: toWholeMs(until) + Math.floor(until.nanos / 1e6) };
}

function toWholeMs({ seconds }: Timestamp): number {
  return Number(seconds) * 1_000;
}
