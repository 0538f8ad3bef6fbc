import { forgedRow } from "./chain/forged.ts";
import { assertObject, type StateMac } from "./chain/state.ts";
import type { StoredObject } from "./store.ts";
import { type ObjectRow, toObject } from "./verify/rows.ts";

/** What the log knows of a stream. */
export type Logged = Pick<ObjectRow, "stream" | "newest">;

/** The row of a stream, or what there is of one that has none. */
export type MaybeRow = ObjectRow | (Logged & { readonly first: null });

/** The version of the last event of a stream; 0 where it has none. */
export function versionIn(logged: Pick<Logged, "newest"> | undefined): number {
  return Number(logged?.newest ?? 0);
}

/** Answers the object of a stream. Throws Forged where its row is not what was last written. */
export type ToObject = (columns: MaybeRow) => StoredObject;

/** Makes the function that reads the objects which are sealed so. */
export function prepareObjects(macOf: StateMac): ToObject {
  return (columns) => {
    const version = versionIn(columns);
    if (columns.first === null) return absent(columns.stream, version);
    const object = toObject(columns);
    assertObject(macOf, object, columns, { mac: columns.mac, version });
    return object;
  };
}

function absent(stream: string, version: number): StoredObject {
  if (version > 0) throw forgedRow(stream, `gone, and the log has version ${version}`);
  const times = { createdMs: 0, changedMs: 0 };
  return { stream, version, owner: "", state: undefined, ...times, position: 0n };
}
