import { storeConformance } from "./conformance.ts";
import { describeOnPostgres, postgresPlace } from "./postgres-place.ts";

describeOnPostgres("PostgreSQL", () => storeConformance("the store", postgresPlace));
