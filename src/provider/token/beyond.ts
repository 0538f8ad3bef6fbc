import { makesClaim } from "../../domain/noun.ts";
import {
  type MetadataState,
  metadata,
  metadataLimits,
  metadataOf,
} from "../../domain/user/metadata.ts";
import { organizationIn } from "../base/organization-scope.ts";
import type { FoundUser, Rows } from "../base/rows.ts";
import { findToldOrganization } from "./running.ts";
import { metadataScope, resourceOwnerScope } from "./scopes.ts";

/** What is told of the organization of a user, where the scope asks for it. */
export async function tellOrganization(
  { objects }: Pick<Rows, "objects">,
  { state: { organization } }: FoundUser,
  scope: string,
): Promise<{ readonly [name: string]: string }> {
  const isAsked = scope.split(" ").includes(resourceOwnerScope);
  // Who wants the people of one organization alone can look whether it is so.
  if (!isAsked && organizationIn(scope) === undefined) return {};
  const { name } = await findToldOrganization({ objects }, organization);
  return { [`${resourceOwnerScope}:id`]: organization, [`${resourceOwnerScope}:name`]: name };
}

/** The metadata of a user: values in base64. */
export async function findMetadata(
  { objects, store }: Pick<Rows, "objects" | "store">,
  userId: string,
): Promise<readonly MetadataState[]> {
  const keys = metadataOf(userId);
  const { streams } = await store.holders(keys, metadataLimits.keysOfUser);
  const found = streams.length === 0 ? [] : await objects.current(streams);
  return found.flatMap(({ state }) => {
    const one = state as MetadataState | undefined;
    return one !== undefined && makesClaim(metadata, one, keys) ? [one] : [];
  });
}

/** What is told of the metadata of a user, where the scope asks for it: values in base64url. */
export async function tellMetadata(
  rows: Pick<Rows, "objects" | "store">,
  { userId }: FoundUser,
  scope: string,
): Promise<{ readonly [name: string]: unknown }> {
  if (!scope.split(" ").includes(metadataScope)) return {};
  const entries = (await findMetadata(rows, userId)).map(
    ({ key, value }) => [key, Buffer.from(value, "base64").toString("base64url")] as const,
  );
  return entries.length === 0 ? {} : { [metadataScope]: Object.fromEntries(entries) };
}
