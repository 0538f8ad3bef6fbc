import { isFull } from "../harness/extent.ts";
import { storeConformance } from "./conformance.ts";
import { describeOnPostgres, postgresPlace } from "./postgres-place.ts";

/** In full only: what is of queries alone, and what the logs of the other tests need as well. */
const without = isFull
  ? []
  : ([
      ...["lists in order", "lists with a filter", "searching the log", "limits"],
      ...["opening and closing", "remembered answers", "groups of claims", "objects"],
      ...[
        "the projection",
        "artifacts",
        "artifacts that count",
        "appends behind the time of the log",
      ],
    ] as const);

describeOnPostgres("PostgreSQL", () => storeConformance("the store", postgresPlace, without));
