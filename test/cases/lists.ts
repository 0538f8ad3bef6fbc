import { expect } from "@jest/globals";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { type Case, row } from "../harness/cases.ts";
import { clientNames } from "../harness/clients.ts";
import { oneClient, someClients } from "./given.ts";
import {
  type Asked,
  type Condition,
  idsOf,
  type Listing,
  listPlace,
  listRow,
  pageOf,
} from "./listing.ts";

/** Rows for calls that list objects, alike for every kind of object. */

export function listRows(listing: Listing): readonly Case[] {
  return [
    listRow(listing, "answers an empty list", async () => ({
      ok({ details, result }) {
        expect(result).toEqual([]);
        expect(details?.totalResult).toBe(0n);
      },
    })),
    listRow(listing, "has every object once over all pages", async ({ given, list }) => {
      const ids = await given("c", "a", "e", "b", "d");
      for (const asc of [true, false]) {
        const found: string[] = [];
        for (let offset = 0; offset <= ids.length + 2; offset += 2) {
          const page = await list({ query: { offset: BigInt(offset), limit: 2, asc } });
          expect(page.details?.totalResult).toBe(BigInt(ids.length));
          found.push(...idsOf(page));
        }
        expect(found).toEqual(asc ? ids : ids.toReversed());
      }
      return {
        ask: { query: { offset: 1n, limit: 3, asc: true } },
        ok: (page) => expect(idsOf(page)).toEqual(ids.slice(1, 4)),
      };
    }),
    listRow(listing, "leads from page to page by tokens", async ({ given, list }) => {
      const ids = await given("c", "a", "e", "b", "d");
      for (const asc of [true, false]) {
        const found: string[] = [];
        let pageToken = "";
        do {
          const page = await list({ query: { limit: 2, asc, pageToken } });
          expect(page.details?.totalResult).toBe(BigInt(ids.length));
          found.push(...idsOf(page));
          pageToken = page.details?.nextPageToken ?? "";
        } while (pageToken !== "");
        expect(found).toEqual(asc ? ids : ids.toReversed());
      }
      const { details } = await list({ query: { limit: 1, asc: true } });
      return {
        ask: {
          query: { asc: true, limit: 2, offset: 1n, pageToken: details?.nextPageToken ?? "" },
        },
        ok: (page) => expect(idsOf(page)).toEqual(ids.slice(2, 4)),
      };
    }),
    listRow(listing, "begins with the newest where nothing is said", async ({ given, list }) => {
      const ids = await given("b", "a", "c");
      for (const query of [{}, { limit: 0 }, { offset: 0n, asc: false }]) {
        expect(idsOf(await list({ query }))).toEqual(ids.toReversed());
      }
      return { ok: (page) => expect(idsOf(page)).toEqual(ids.toReversed()) };
    }),
    listRow(listing, "takes the largest page and offset", async ({ given, list }) => {
      const ids = await given("a", "b");
      const past = await list({ query: { offset: BigInt(Number.MAX_SAFE_INTEGER), limit: 1000 } });
      expect(past).toMatchObject({ result: [], details: { totalResult: 2n } });
      return {
        ask: { query: { limit: 1000, asc: true } },
        ok: (page) => expect(idsOf(page)).toEqual(ids),
      };
    }),
    listRow(
      listing,
      "has 100 objects on a page where nothing is said",
      async ({ given, list }) => {
        const ids = await given(...Array.from({ length: 101 }, (_, index) => `${index}`));
        const all = await list({ query: { limit: 1000, asc: true } });
        expect(idsOf(all)).toEqual(ids);
        return {
          ok(page) {
            expect(page.details?.totalResult).toBe(101n);
            expect(idsOf(page)).toEqual(ids.toReversed().slice(0, 100));
          },
        };
      },
      oneClient,
    ),
    ...conditionRows(listing),
    ...(listing.isEverywhere ? [] : placeRows(listing)),
    ...(listing.byNameColumn === undefined ? [] : sortingRows(listing, listing.byNameColumn)),
    ...refusalRows(listing),
  ];
}

function conditionRows(listing: Listing): readonly Case[] {
  const { byName } = listing;
  const { EQUALS, STARTS_WITH, CONTAINS, ENDS_WITH } = TextQueryMethod;
  const someRow = (name: string, given: Parameters<typeof listRow>[2]) =>
    listRow(listing, name, given, someClients);
  return [
    someRow("finds names by every method", async ({ given, list, named }, { unique }) => {
      await given("Alpha", "beta", "Alpha beta");
      const part = unique.slice(4);
      const table: readonly (readonly [TextQueryMethod, string, readonly string[]])[] = [
        [EQUALS, named("Alpha"), ["Alpha"]],
        [STARTS_WITH, named("Al"), ["Alpha", "Alpha beta"]],
        [CONTAINS, `${part} Alpha`, ["Alpha", "Alpha beta"]],
        [ENDS_WITH, `${part} Alpha`, ["Alpha"]],
        [EQUALS, named("Alph"), []],
        [STARTS_WITH, named("lpha"), []],
        [CONTAINS, `${part}%`, []],
        [CONTAINS, `${part}_Alpha`, []],
        [ENDS_WITH, `${part} Alph`, []],
      ];
      for (const [method, text, names] of table) {
        const expected = names.map(named);
        const find = async (query: Condition) => {
          const { result } = await list({ queries: [query], query: { asc: true } });
          return result.map(({ name }) => name);
        };
        expect(await find(byName(text, method))).toEqual(expected);
        expect(await find(byName(text.toUpperCase(), method))).toEqual([]);
        // Each method has one after it that ignores case.
        expect(await find(byName(text.toUpperCase(), method + 1))).toEqual(expected);
      }
      return {
        ask: { queries: [byName(named("beta"))] },
        ok: ({ result }) => expect(result.map(({ name }) => name)).toEqual([named("beta")]),
      };
    }),
    someRow("wants all conditions to hold", async ({ given, list, named }) => {
      const [ab] = await given("a b", "a c", "b c");
      const both = [byName(named("a"), STARTS_WITH), byName(" b", ENDS_WITH)];
      const none = await list({ queries: [...both, byName(named("a c"))] });
      expect(none).toMatchObject({ result: [], details: { totalResult: 0n } });
      return {
        ask: { queries: both },
        ok(page) {
          expect(idsOf(page)).toEqual([ab]);
          expect(page.details?.totalResult).toBe(1n);
        },
      };
    }),
    someRow("takes as many conditions as may be", async ({ given, named }) => {
      const [id] = await given("a");
      const count = listing.isEverywhere ? 99 : 100;
      return {
        ask: { queries: Array.from({ length: count }, () => byName(named("a"))) },
        ok: (page) => expect(idsOf(page)).toEqual([id]),
      };
    }),
    someRow("takes a name of 200 characters", async () => ({
      ask: { queries: [byName("😀".repeat(200))] },
      ok: ({ result }) => expect(result).toEqual([]),
    })),
  ];
}

function placeRows(listing: Listing): readonly Case[] {
  return [
    listRow(
      listing,
      "leaves out what lies elsewhere",
      async ({ given }, world) => {
        const ids = await given("a");
        await listing.given(world, (await listPlace(world, listing)).spot, "elsewhere");
        return {
          ok(page) {
            expect(idsOf(page)).toEqual(ids);
            expect(page.details?.totalResult).toBe(1n);
          },
        };
      },
      someClients,
    ),
    row(
      `${listing.method.name} looks where the header says`,
      listing.method,
      async (world) => {
        const { spot, given, request, list } = await listPlace(world, listing);
        await given("a");
        const expected = await list();
        return {
          request: request(),
          headers: { "x-service-orgid": spot.organization },
          expected: { ok: (message) => expect(pageOf(message)).toEqual(expected) },
        };
      },
      someClients,
    ),
  ];
}

function sortingRows(listing: Listing, sortingColumn: number): readonly Case[] {
  return [true, false].map((asc) =>
    listRow(
      listing,
      `sorts by name, ascending ${asc}`,
      async ({ given, list, named }) => {
        await given("b", "A", "d", "C");
        const names = ["A", "b", "C", "d"].map(named);
        const second = await list({ sortingColumn, query: { asc, offset: 1n, limit: 2 } });
        const expected = asc ? names : names.toReversed();
        const { nextPageToken: pageToken = "" } = second.details ?? {};
        const last = await list({ sortingColumn, query: { asc, limit: 2, pageToken } });
        expect(last.result.map(({ name }) => name)).toEqual(expected.slice(3));
        expect(last.details?.nextPageToken).toBe("");
        expect(second.result.map(({ name }) => name)).toEqual(expected.slice(1, 3));
        return {
          ask: { sortingColumn, query: { asc } },
          ok({ result, sortingColumn: sorted }) {
            expect(result.map(({ name }) => name)).toEqual(expected);
            expect(sorted).toBe(sortingColumn);
          },
        };
      },
      someClients,
    ),
  );
}

function refusalRows(listing: Listing): readonly Case[] {
  const { byName } = listing;
  const refused = (name: string, ask: Asked, field: string, only: Case["only"] = someClients) =>
    row(
      `${listing.method.name} refuses ${name}`,
      listing.method,
      async (world) => {
        const { request, token } = await listPlace(world, listing);
        const expected = { code: 3, reason: "INVALID_FIELDS", fields: [field] };
        return { request: request(ask), token, expected };
      },
      only,
    );
  return [
    refused(
      "a page token that is none",
      { query: { pageToken: "x".repeat(16_384) } },
      "query.page_token",
    ),
    refused("a condition that is none", { queries: [byName("a"), {}] }, "queries[1].query", {
      clients: clientNames,
      because: "each protocol has its own way to say nothing",
    }),
  ];
}
