import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListUserMetadataResponse } from "../../gen/iam/management/v1/metadata_pb.js";
import { metadata } from "../../src/domain/user/metadata.ts";
import { metadataId } from "../../src/secrets/metadata-id.ts";
import type { World } from "../harness/cases.ts";
import { recorded } from "./given.ts";
import { granted } from "./stored.ts";
import { givenHuman } from "./users.ts";

/** People with metadata. */

const { listUserMetadata } = ManagementService.method;

export const bytes = (text: string) => new TextEncoder().encode(text);

/** A person with these keys, each of which has itself as value. */
export async function givenKeys({ server }: World, ...keys: readonly string[]) {
  const { organization } = server.admin;
  const userId = await givenHuman(server, organization);
  for (const key of keys) {
    const payload = { userId, key, value: Buffer.from(key).toString("base64") };
    const event = { type: "user.metadata.set", payload } as const;
    await recorded(server, metadata, organization, [event], metadataId(userId, key));
  }
  return userId;
}

/** The keys and values of a user, the oldest first. */
export async function keptOf({ call }: World, id: string) {
  const answer = await call(listUserMetadata, { id, query: { asc: true } });
  const { result } = granted<ListUserMetadataResponse>(answer);
  return result.map(({ key, value }) => [key, Buffer.from(value).toString()]);
}

export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);
