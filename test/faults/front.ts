import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of how requests are taken that are no calls. */
export const frontFaults: readonly Fault[] = [
  [
    "a form without a length has none",
    at("provider/routes.ts", `raw.headers["content-length"] = String(sent.byteLength);`, ""),
  ],
];
