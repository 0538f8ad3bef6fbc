import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Editor,
  EditorSchema,
  type Event,
  EventSchema,
} from "../../gen/iam/event/v1/event_pb.js";
import { idOf, streamOf } from "../domain/noun.ts";
import { nounOf, nouns } from "../domain/nouns.ts";
import { operator } from "../domain/user/state/made.ts";
import { shownUserName, type UserState, user } from "../domain/user/state/user.ts";
import type { RecordedEvent } from "../event.ts";
import { isErased } from "../store/erasure.ts";
import type { EventQuery } from "../store/query.ts";
import type { StoredObject } from "../store/store.ts";
import type { Service } from "./service.ts";

/** The text in the place of a secret. */
export const mask = "***";

/**
 * Shows events to callers: with the names of their actors and without any secret. Each is made
 * when it is taken.
 */
export async function showEvents(
  { store }: Pick<Service, "store">,
  events: readonly RecordedEvent[],
): Promise<Iterable<Event>> {
  const actors = [...new Set(events.map(({ actor }) => actor))];
  const stored = await store.load(actors.map((id) => streamOf(user, id)));
  const editors = new Map(stored.map((found, index) => [actors[index], showEditor(found)]));
  return (function* () {
    for (const event of events) yield showEvent(event, editors.get(event.actor));
  })();
}

/**
 * Shows the actor of an event. One that never was a user is the operator, or the service itself: an
 * unknown person is named by the word alone.
 */
function showEditor({ stream, version, state }: StoredObject): Editor {
  const id = idOf(user, stream);
  return create(EditorSchema, {
    userId: version === 0 ? "" : id,
    displayName: state === undefined ? "" : shownUserName(JSON.parse(state) as UserState),
    service: id === operator ? operator : "iam",
  });
}

function showEvent(recorded: RecordedEvent, editor: Editor | undefined): Event {
  const { stream, owner, position, timeMs, type, payload } = recorded;
  const noun = nounOf(stream);
  return create(EventSchema, {
    ...(editor ? { editor } : {}),
    aggregate: {
      id: idOf(noun, stream),
      type: { type: noun.kind, localized: localize("AggregateTypes", noun.kind) },
      resourceOwner: owner,
    },
    sequence: position,
    creationDate: timestampFromMs(timeMs),
    ...(isErased(recorded)
      ? { erased: true }
      : { payload: maskSecrets(JSON.parse(payload) as JsonObject, noun.secrets) }),
    type: { type, localized: localize("EventTypes", type) },
  });
}

function maskSecrets(payload: JsonObject, secrets: readonly string[]): JsonObject {
  const entries = Object.entries(payload);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secrets.includes(name) ? mask : value]),
  );
}

/** The same of a state, in which secrets may lie deeper. */
export function maskDeep(value: JsonValue, secrets: readonly string[]): JsonValue {
  if (Array.isArray(value)) return value.map((one) => maskDeep(one, secrets));
  if (typeof value !== "object" || value === null) return value;
  const masked = Object.entries(maskSecrets(value, secrets));
  return Object.fromEntries(masked.map(([name, one]) => [name, maskDeep(one, secrets)]));
}

/** Gives a name a key and words: `user.human.added` becomes "User human added". */
function localize(prefix: string, name: string) {
  const words = name.replaceAll(".", " ");
  return {
    key: `${prefix}.${name}`,
    localizedMessage: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
  };
}

/** The conditions that all requests for events have. */
interface EventFilter {
  readonly resourceOwner: string;
  readonly eventTypes: readonly string[];
  readonly aggregateTypes: readonly string[];
  readonly aggregateId: string;
}

/** Reads the conditions on events that a request has; what it leaves empty is no condition. */
export function readEventFilter({
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
