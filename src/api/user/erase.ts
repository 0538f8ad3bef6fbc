import { streamOf } from "../../domain/noun.ts";
import { eraseUser, type Past } from "../../domain/user/erase.ts";
import { user } from "../../domain/user/user.ts";
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
      return await removeWhole(service, userId, context, decide, { users: [userId] });
    },
  } satisfies Handlers;
}

/** What is left of a user: what is said of one who was removed stays true. */
export async function readPast(store: Service["store"], userId: string): Promise<Past> {
  const stream = streamOf(user, userId);
  const [{ version = 0, owner = "" } = {}] = await store.load([stream]);
  if (version === 0) return { organization: undefined, isErased: false };
  const [last] = await store.readStream(stream, version - 1, 1);
  return { organization: owner, isErased: erasesAll(last?.type ?? "") };
}
