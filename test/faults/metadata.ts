import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of the metadata of users. */
export const metadataFaults: readonly Fault[] = [
  [
    "metadata set of who holds more",
    at(
      "domain/user/metadata.ts",
      "  if (refused !== undefined) return refused;\n  return giveValue",
      "  if (refused?.rejection.reason === 'USER_NOT_FOUND') return refused;\n  return giveValue",
    ),
  ],
  [
    "metadata removed of who holds more",
    at(
      "domain/user/metadata.ts",
      "  if (refused !== undefined) return refused;\n  if (state === undefined) return reject",
      "  if (refused?.rejection.reason === 'USER_NOT_FOUND') return refused;\n" +
        "  if (state === undefined) return reject",
    ),
  ],
  ["one key more", at("domain/user/metadata.ts", "held >= most", "held > most")],
  [
    "keys of one user that do not take turns",
    at("api/user/metadata.ts", "writes: { ...writes, metadata: ref }", "writes: { metadata: ref }"),
    at(
      "api/user/metadata.ts",
      "return { ...acting, writes",
      "const relies = { ...acting.relies, ...writes };\n  return { ...acting, relies, writes",
    ),
  ],
  [
    "metadata that outlive their user",
    at(
      "domain/user/status.ts",
      `    metadata: [{ type: "user.metadata.erased", payload: {} }],\n`,
      "",
    ),
  ],
  [
    "keys that are names of paths",
    at("domain/name.ts", `key.startsWith("_")`, `key === "_search"`),
  ],
  ["metadata of all users in one list", at("api/user/metadata.ts", "parents: [id], ", "")],
];
