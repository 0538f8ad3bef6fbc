import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Editor,
  EditorSchema,
  type Event,
  EventSchema,
} from "../../gen/iam/event/v1/event_pb.js";
import { idOf, streamOf } from "../domain/noun.ts";
import { nounOf, nouns } from "../domain/nouns.ts";
import { shownUserName, type UserState, user } from "../domain/user/user.ts";
import type { RecordedEvent } from "../event.ts";
import type { EventQuery } from "../store/query.ts";
import type { StoredObject } from "../store/store.ts";
import type { Service } from "./service.ts";

/** What stands in the place of a secret. */
const mask = "***";

/**
 * Events as callers see them: with the names of their actors and without any secret. Each is made
 * when it is taken.
 */
export async function eventsOf(
  { store }: Pick<Service, "store">,
  events: readonly RecordedEvent[],
): Promise<Iterable<Event>> {
  const actors = [...new Set(events.map(({ actor }) => actor))];
  const stored = await store.load(actors.map((id) => streamOf(user, id)));
  const editors = new Map(stored.map((found, index) => [actors[index], editorOf(found)]));
  return (function* () {
    for (const event of events) yield eventOf(event, editors.get(event.actor));
  })();
}

/** Whom the object of an actor shows; whoever never was a user is a part of the service itself. */
function editorOf({ stream, version, state }: StoredObject): Editor {
  return create(EditorSchema, {
    userId: version === 0 ? "" : idOf(user, stream),
    displayName: state === undefined ? "" : shownUserName(JSON.parse(state) as UserState),
    service: "iam",
  });
}

function eventOf(recorded: RecordedEvent, editor: Editor | undefined): Event {
  const { stream, owner, position, timeMs, type, payload } = recorded;
  const noun = nounOf(stream);
  return create(EventSchema, {
    ...(editor ? { editor } : {}),
    aggregate: {
      id: idOf(noun, stream),
      type: { type: noun.kind, localized: localized("AggregateTypes", noun.kind) },
      resourceOwner: owner,
    },
    sequence: position,
    creationDate: timestampFromMs(timeMs),
    payload: masked(JSON.parse(payload) as JsonObject, noun.secrets),
    type: { type, localized: localized("EventTypes", type) },
  });
}

function masked(payload: JsonObject, secrets: readonly string[]): JsonObject {
  const entries = Object.entries(payload);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secrets.includes(name) ? mask : value]),
  );
}

/** A key and the words of a name: `user.human.added` is "User human added". */
function localized(prefix: string, name: string) {
  const words = name.replaceAll(".", " ");
  return {
    key: `${prefix}.${name}`,
    localizedMessage: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
  };
}

/** What requests for events may ask for in the same way. */
interface EventFilter {
  readonly resourceOwner: string;
  readonly eventTypes: readonly string[];
  readonly aggregateTypes: readonly string[];
  readonly aggregateId: string;
}

export function eventFilter({
  resourceOwner,
  eventTypes,
  aggregateTypes,
  aggregateId,
}: EventFilter): Omit<EventQuery, "after" | "limit"> {
  return {
    ...(resourceOwner === "" ? {} : { owner: resourceOwner }),
    ...(eventTypes.length === 0 ? {} : { types: eventTypes }),
    ...(aggregateTypes.length === 0 ? {} : { kinds: aggregateTypes }),
    ...(aggregateId === "" ? {} : { streams: nouns.map((noun) => streamOf(noun, aggregateId)) }),
  };
}
