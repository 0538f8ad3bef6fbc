import { afterEach, beforeEach, describe } from "@jest/globals";
import type { Store } from "../../src/store/store.ts";
import { appendCases } from "./conformance/append.ts";
import { artifactCases } from "./conformance/artifact.ts";
import { batchCases } from "./conformance/batch.ts";
import { claimCases } from "./conformance/claim.ts";
import { filterCases } from "./conformance/filter.ts";
import { lifeCases } from "./conformance/life.ts";
import { limitCases } from "./conformance/limit.ts";
import { logCases } from "./conformance/log.ts";
import { messageCases } from "./conformance/message.ts";
import { objectCases } from "./conformance/object.ts";
import type { Open, Place } from "./conformance/place.ts";
import { projectionCases } from "./conformance/projection.ts";
import { quotaCases } from "./conformance/quota.ts";
import { rememberCases } from "./conformance/remember.ts";
import { searchCases } from "./conformance/search.ts";
import { sortCases } from "./conformance/sort.ts";
import { tallyCases } from "./conformance/tally.ts";
import { things } from "./fixture.ts";

/** Every clause of `src/store/store.ts` and `query.ts`, for a backend's test file to call. */
export function storeConformance(name: string, makePlace: () => Promise<Place>): void {
  describe(`${name} keeps the contract of a store`, () => {
    const stores: Store[] = [];
    let place: Place;

    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(async () => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      await place.remove();
    });
    const open: Open = async (projector = things()) => {
      const store = await place.open(projector);
      stores.push(store);
      return store;
    };

    describe("append", () => appendCases(open));
    describe("appends at the same time", () => batchCases(open));
    describe("claims", () => claimCases(open));
    describe("groups of claims", () => tallyCases(open));
    describe("objects", () => objectCases(open));
    describe("lists in order", () => sortCases(open));
    describe("lists with a filter", () => filterCases(open));
    describe("the log", () => logCases(open));
    describe("searching the log", () => searchCases(open));
    describe("messages", () => messageCases(open));
    describe("quotas", () => quotaCases(open));
    describe("remembered answers", () => rememberCases(open));
    describe("artifacts", () => artifactCases(open));
    describe("limits", () => limitCases(open));
    describe("opening and closing", () => lifeCases(open));
    describe("the projection", () => projectionCases(open));
  });
}
