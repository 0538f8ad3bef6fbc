import { storeConformance } from "./conformance.ts";
import { sqlitePlace } from "./sqlite-place.ts";

storeConformance("SQLite", sqlitePlace);
