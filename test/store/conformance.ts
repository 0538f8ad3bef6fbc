import { afterEach, beforeEach, describe } from "@jest/globals";
import type { Store } from "../../src/store/store.ts";
import { appendCases } from "./conformance/append.ts";
import { artifactCases } from "./conformance/artifact.ts";
import { attachmentCases } from "./conformance/attachment.ts";
import { batchCases } from "./conformance/batch.ts";
import { claimCases } from "./conformance/claim.ts";
import { countCases } from "./conformance/count.ts";
import { erasureCases } from "./conformance/erasure.ts";
import { filterCases } from "./conformance/filter.ts";
import { holdingCases } from "./conformance/holding.ts";
import { keptCases } from "./conformance/kept.ts";
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
import { timeCases } from "./conformance/time.ts";
import { things } from "./fixture.ts";

/** The clauses of `src/store/store.ts` and `query.ts`. */
const clauses = {
  append: appendCases,
  "appends at the same time": batchCases,
  claims: claimCases,
  "groups of claims": tallyCases,
  objects: objectCases,
  "lists in order": sortCases,
  "lists with a filter": filterCases,
  "lists by claims": holdingCases,
  "the log": logCases,
  erasures: erasureCases,
  "searching the log": searchCases,
  "appends behind the time of the log": timeCases,
  messages: messageCases,
  quotas: quotaCases,
  "remembered answers": rememberCases,
  "what is shown of somebody": keptCases,
  artifacts: artifactCases,
  "artifacts that count": countCases,
  attachments: attachmentCases,
  limits: limitCases,
  "opening and closing": lifeCases,
  "the projection": projectionCases,
} as const;

/** Every clause, or all but some, for a backend's test file to call. */
export function storeConformance(
  name: string,
  makePlace: () => Promise<Place>,
  without: readonly (keyof typeof clauses)[] = [],
): void {
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
    const names = Object.keys(clauses) as (keyof typeof clauses)[];
    for (const clause of names.filter((one) => !without.includes(one))) {
      describe(clause, () => clauses[clause](open));
    }
  });
}
