import { isFull } from "../harness/extent.ts";
import { storeConformance } from "./conformance.ts";
import { sqlitePlace } from "./sqlite-place.ts";

// At the limits a page is megabytes.
storeConformance("SQLite", sqlitePlace, isFull ? [] : ["limits"]);
