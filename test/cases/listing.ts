import type { DescMethodUnary, Message, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import {
  type ListDetails,
  type ListQuerySchema,
  TextQueryMethod,
} from "../../gen/iam/v1/search_pb.js";
import { type Case, row, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser } from "../harness/server.ts";
import type { Spot } from "./lookups.ts";
import { granted } from "./stored.ts";

/** Calls that list objects, alike for every kind of object: what they ask, and where. */

/** How one call lists objects. */
export interface Listing {
  readonly method: DescMethodUnary;
  /** Makes an object of this name; answers its id. */
  given(world: World, spot: Spot, name: string): Promise<string>;
  /** A condition on the name. */
  byName(name: string, method?: TextQueryMethod): Condition;
  /** What the request has besides the page and the conditions. */
  rest?(spot: Spot): Record<string, unknown>;
  /** The list is of the whole instance: rows tell their objects from others by their names. */
  readonly isEverywhere?: true;
  /** The number of the column for names, if a column can be chosen. */
  readonly byNameColumn?: number;
}

export interface Condition {
  readonly query: { readonly case: string; readonly value: object };
}

/** What every list answers. */
export interface Page {
  readonly details?: ListDetails;
  readonly sortingColumn?: number;
  readonly result: readonly { readonly id: string; readonly name: string }[];
}

/** A place of its own for a row, with a token that acts there. */
export interface ListPlace {
  readonly spot: Spot;
  readonly token: string;
  /** Asks for a list there, which has only what the row made. */
  request(asked?: Asked): Record<string, unknown>;
  /** Makes objects of these names after one another; answers their ids. */
  given(...names: readonly string[]): Promise<readonly string[]>;
  /** A name that the row alone uses. */
  named(name: string): string;
  /** Lists once more. */
  list(given?: Asked): Promise<Page>;
}

/** What a request for a list says, besides where. */
export interface Asked {
  readonly query?: Omit<MessageInitShape<typeof ListQuerySchema>, "$typeName">;
  readonly queries?: readonly object[];
  readonly sortingColumn?: number;
}

export async function listPlace(world: World, listing: Listing): Promise<ListPlace> {
  const { server, unique, call } = world;
  const organization = await givenOrganization(server);
  const project = listing.rest ? await givenProject(server, organization) : "";
  const spot = { organization, project };
  const scope = { level: "organization", organization } as const;
  const { token } = listing.isEverywhere
    ? server.admin
    : await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
  const own = listing.isEverywhere ? [listing.byName(unique, TextQueryMethod.STARTS_WITH)] : [];
  const request = ({ queries = [], ...given }: Asked = {}) => ({
    ...listing.rest?.(spot),
    ...given,
    queries: [...queries, ...own],
  });
  const named = (name: string) => `${unique} ${name}`;
  return {
    ...{ spot, token, request, named },
    async given(...names) {
      const ids: string[] = [];
      for (const name of names) ids.push(await listing.given(world, spot, named(name)));
      return ids;
    },
    list: async (given) => pageOf(granted(await call(listing.method, request(given), token))),
  };
}

export function pageOf(message: Message): Page {
  return message as Message & Page;
}

export function idsOf({ result }: Page): readonly string[] {
  return result.map(({ id }) => id);
}

/** The rows of a list whose place has been made. */
export function listRow(
  listing: Listing,
  name: string,
  given: (
    place: ListPlace,
    world: World,
  ) => Promise<{ readonly ask?: Asked; ok(page: Page): void | Promise<void> }>,
  only?: Case["only"],
): Case {
  return row(
    `${listing.method.name} ${name}`,
    listing.method,
    async (world) => {
      const place = await listPlace(world, listing);
      const { ask, ok } = await given(place, world);
      return {
        ...{ request: place.request(ask), token: place.token },
        expected: {
          async ok(message, events) {
            // Reading leaves no event, and the page says up to which one it is true.
            expect(events).toEqual([]);
            const { position, timeMs } = await world.server.store.head();
            expect(pageOf(message).details).toMatchObject({
              processedSequence: position,
              viewTimestamp: timestampFromMs(timeMs),
            });
            await ok(pageOf(message));
          },
        },
      };
    },
    only,
  );
}
