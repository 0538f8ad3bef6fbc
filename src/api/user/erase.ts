import { streamOf } from "../../domain/noun.ts";
import { eraseUser, type Past } from "../../domain/user/erase.ts";
import { user } from "../../domain/user/state/user.ts";
import { erasesAll } from "../../store/erasure.ts";
import type { Handlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { removeWhole } from "./user.ts";

/** The handlers by which what is kept of people goes. */
export function eraseHandlers(service: Service) {
  return {
    async eraseUser({ userId, reason }, context) {
      const past = await readPast(service.store, userId);
      const decide: Parameters<typeof removeWhole>[3] = (acting, acted, nowMs) =>
        eraseUser(acting, { ...acted, past, reason }, nowMs);
      const version = past.isRemoved ? past.version : undefined;
      return await removeWhole(service, userId, context, decide, version);
    },
  } satisfies Handlers;
}

/** What is left of a user: what is said of one who was removed stays true. */
export async function readPast(
  store: Service["store"],
  userId: string,
): Promise<Past & { readonly version: number }> {
  const stream = streamOf(user, userId);
  const [{ version = 0, owner = "", state } = {}] = await store.load([stream]);
  if (version === 0) {
    return { organization: undefined, isRemoved: false, isErased: false, version };
  }
  const [last] = await store.readStream(stream, version - 1, 1);
  const isErased = erasesAll(last?.type ?? "");
  return { organization: owner, isRemoved: state === undefined, isErased, version };
}
