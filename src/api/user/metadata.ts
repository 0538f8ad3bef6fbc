import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { type MetadataQuery, MetadataSchema } from "../../../gen/iam/metadata/v1/metadata_pb.js";
import {
  type MetadataState,
  metadata,
  metadataLimits,
  metadataOf,
  removeMetadata,
  setMetadata,
} from "../../domain/user/metadata.ts";
import { user } from "../../domain/user/state/user.ts";
import { type Found, readObject } from "../../execute/read-object.ts";
import { metadataId } from "../../secrets/metadata-id.ts";
import type { Filter } from "../../store/query.ts";
import { callOf, refuse } from "../call.ts";
import { changedDetails, readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { assertKnownQuery, listPage, matchAll, matchText } from "../listing.ts";
import { perform, type Service } from "../service.ts";
import { actingOn } from "./user.ts";

/** The handlers on the metadata of users. */
export function metadataHandlers(service: Service) {
  const { store } = service;
  return {
    async setUserMetadata({ id, key, value }, context) {
      const { organization } = callOf(context);
      const input = { organization, userId: id, key, value: Buffer.from(value).toString("base64") };
      return await perform(service, context, {
        ...actingOnKey(id, key, context),
        groups: { held: { noun: metadata, ...metadataOf(id) } },
        decide: (states) => setMetadata(states, input),
        answer: (written) => ({ id, details: changedDetails(written) }),
      });
    },

    async listUserMetadata({ id, query, queries }, context) {
      const found = await readObject(store, user, id);
      if (found?.state.organization !== callOf(context).organization) refuse("USER_NOT_FOUND");
      const list = { parents: [id], where: matchAll(queries.map(readQuery)) };
      const { details, objects } = await listPage(service, context, metadata, list, query);
      return { details, result: objects.map(showMetadata) };
    },

    async removeUserMetadata({ id, key }, context) {
      const { organization } = callOf(context);
      return await perform(service, context, {
        ...actingOnKey(id, key, context),
        decide: (states) => removeMetadata(states, { organization, userId: id }),
      });
    },
  } satisfies Handlers;
}

/** Reads all metadata of a user. Throws `Refused` where that takes too long. */
export async function readMetadata({ store }: Pick<Service, "store">, userId: string) {
  const limit = metadataLimits.keysOfUser;
  const keys = { kind: metadata.kind, parents: [userId], offset: 0, limit };
  const page = (await store.list(keys)) ?? refuse("SEARCH_TOO_LONG");
  return page.objects;
}

/** As `actingOn`: keys of one user take turns, so that their number is no cause to try again. */
function actingOnKey(userId: string, key: string, context: HandlerContext) {
  const { organization: owner } = callOf(context);
  const { writes, ...acting } = actingOn(userId, context);
  const ref = { noun: metadata, id: metadataId(userId, key), owner };
  return { ...acting, writes: { ...writes, metadata: ref } };
}

function showMetadata({ stored, state: { key, value } }: Found<MetadataState>) {
  const details = readDetails(stored);
  return create(MetadataSchema, { details, key, value: Buffer.from(value, "base64") });
}

function readQuery({ query }: MetadataQuery): Filter {
  if (query.case !== "keyQuery") return assertKnownQuery();
  return matchText("key", query.value.key, query.value.method);
}
