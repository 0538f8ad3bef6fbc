import { type DescMethodUnary, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type { Noun } from "../../src/domain/noun.ts";
import type { NewEvent, RecordedEvent } from "../../src/event.ts";
import { type Case, row, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { detailsJson, eventsOf, recorded, someClients } from "./given.ts";
import { fact } from "./stored.ts";

/** Rows for calls that name one object by its id, alike for every kind of object. */

/** Where an object is made: a project of the organization, which only applications need. */
export interface Spot {
  readonly organization: string;
  readonly project: string;
}

/** How one call names one object. */
export interface Lookup {
  readonly method: DescMethodUnary;
  readonly noun: Noun<unknown, NewEvent>;
  readonly notFound: { readonly code: 5; readonly reason: string };
  /** Makes an object that the call accepts; answers its id. */
  given(world: World, spot: Spot): Promise<string>;
  request(id: string, spot: Spot): Record<string, unknown>;
  /** The event that removes such an object. */
  readonly removal: NewEvent;
  /** Whether the call looks into every organization. */
  readonly isEverywhere?: true;
}

export function here({ server, project }: World): Spot {
  return { organization: server.admin.organization, project };
}

/** Where an id leads nowhere in ways that no table knows; made/objects.test.ts has the others. */
export function lookupRows(lookup: Lookup): readonly Case[] {
  const { method, noun, notFound, request } = lookup;
  const named = (id: string) => (world: World) => ({
    request: request(id, here(world)),
    expected: notFound,
  });
  const refused = (name: string, given: Parameters<typeof row>[2]) =>
    row(`${method.name} refuses ${name}`, method, given, someClients);
  return [
    refused("an id of 200 characters that is unknown", named("😀".repeat(200))),
    refused("the id of something else", (world) =>
      named(noun.kind === "user" ? world.project : world.server.admin.userId)(world),
    ),
    refused("what was removed", async (world) => {
      const spot = here(world);
      const id = await lookup.given(world, spot);
      await recorded(world.server, noun, spot.organization, [lookup.removal], id);
      return { request: request(id, spot), expected: notFound };
    }),
  ];
}

/** What an answer may have besides its details. */
interface Secret {
  readonly clientId?: string;
  readonly clientSecret?: string;
}

/** A change of one object: what it records and answers. */
export interface Change extends Lookup {
  readonly type: string;
  /** The refusal of the same call once more. */
  readonly again?: { readonly code: number; readonly reason: string; readonly message?: string };
  /** The answer as JSON, where it is not the details alone. */
  answer?(details: JsonValue, message: Secret): JsonValue;
  /** The payload of the event, where it is not empty. */
  payload?(message: Secret): object;
}

/** What is looked up, and what happens to what is found. */
export function changeRows(change: Change): readonly Case[] {
  const { method, request, given, again } = change;
  return [
    ...lookupRows(change),
    row(`${method.name} records one event and answers where it stands`, method, async (world) => {
      const spot = here(world);
      const id = await given(world, spot);
      return {
        request: request(id, spot),
        expected: {
          ok: (message, events) => expectChanged(change, world, spot, { id, message, events }),
        },
      };
    }),
    row(
      `${method.name} acts where the header says, or wherever it is`,
      method,
      async (world) => {
        const other = await otherSpot(world);
        const id = await given(world, other);
        const headers = { "x-service-orgid": other.organization };
        return {
          request: request(id, other),
          ...(change.isEverywhere ? {} : { headers }),
          expected: {
            ok: (message, events) => expectChanged(change, world, other, { id, message, events }),
          },
        };
      },
      someClients,
    ),
    ...(again === undefined
      ? []
      : [
          row(
            `${method.name} is refused the second time`,
            method,
            async (world) => {
              const spot = here(world);
              const id = await given(world, spot);
              const first = await world.call(method, request(id, spot));
              expect(first).toMatchObject({ ok: true });
              return { request: request(id, spot), expected: again };
            },
            someClients,
          ),
        ]),
  ];
}

async function expectChanged(
  { method, noun, type, payload, answer }: Change,
  { server }: World,
  { organization }: Spot,
  call: {
    readonly id: string;
    readonly message: Message;
    readonly events: readonly RecordedEvent[];
  },
): Promise<void> {
  const stream = `${noun.kind}-${call.id}`;
  const recordedEvents = await eventsOf(server, stream);
  const message: Message & Secret = call.message;
  expect(call.events.map(fact)).toEqual([
    {
      ...{ stream, version: recordedEvents.length, type, owner: organization },
      actor: server.admin.userId,
      payload: payload?.(message) ?? {},
    },
  ]);
  const details = detailsJson(recordedEvents);
  expect(details.creationDate).not.toBe(details.changeDate);
  const expected = answer === undefined ? { details } : answer(details, message);
  expect(toJson(method.output, call.message)).toEqual(expected);
}

async function otherSpot({ server }: World): Promise<Spot> {
  const organization = await givenOrganization(server);
  return { organization, project: await givenProject(server, organization) };
}
