import { isFull } from "../harness/extent.ts";
import { storeConformance } from "./conformance.ts";
import { describeOnPostgres, postgresPlace } from "./postgres-place.ts";

/** What takes longest is of the queries alone, and in full only. */
const without = isFull
  ? []
  : (["lists in order", "lists with a filter", "searching the log", "limits"] as const);

describeOnPostgres("PostgreSQL", () => storeConformance("the store", postgresPlace, without));
