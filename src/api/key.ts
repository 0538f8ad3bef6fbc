import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { KeySchema, KeyType } from "../../gen/iam/authn/v1/key_pb.js";
import type { ListDetails, ListQuery } from "../../gen/iam/v1/search_pb.js";
import type { HeldKey, Keys } from "../domain/key.ts";
import type { Found } from "../execute/read-object.ts";
import { readDetails } from "./details.ts";
import { pageOf } from "./listing.ts";

/** A page of the keys of a program, and what it was taken from. */
export function listKeys(
  { found, details }: { readonly found: Found<unknown>; readonly details: ListDetails },
  keys: Keys = {},
  query: ListQuery | undefined,
) {
  const all = Object.entries(keys);
  const result = pageOf(all, query).map(([keyId, key]) => showKey(found, keyId, key));
  return { details: { ...details, totalResult: BigInt(all.length) }, result };
}

/** A key of a program, without its private part. */
export function showKey(
  { stored }: Pick<Found<unknown>, "stored">,
  id: string,
  { addedMs, expirationMs }: HeldKey,
) {
  return create(KeySchema, {
    id,
    details: readDetails({ ...stored, createdMs: addedMs, changedMs: addedMs }),
    type: KeyType.JSON,
    ...(expirationMs === undefined ? {} : { expirationDate: timestampFromMs(expirationMs) }),
  });
}

/** The file by which a program that is given a key proves itself. */
export function keyFile(file: {
  readonly type: "application" | "serviceaccount";
  readonly keyId: string;
  readonly key: string;
  readonly [name: string]: string;
}): Uint8Array {
  return Buffer.from(JSON.stringify(file));
}
