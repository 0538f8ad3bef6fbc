import { storeConformance } from "./conformance.ts";
import { postgresPlace } from "./postgres-place.ts";

storeConformance("PostgreSQL", postgresPlace);
