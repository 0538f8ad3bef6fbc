import { deactivated, type Given } from "./given.ts";
