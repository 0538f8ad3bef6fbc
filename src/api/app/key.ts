import { app } from "../../domain/app/app.ts";
import { addAppKey, findKeyHolder, removeAppKey } from "../../domain/app/key.ts";
import { findKey } from "../../domain/key.ts";
import { callOf, Refused, refuse } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { keyFile, listKeys, showKey } from "../key.ts";
import { listPage, matchIds } from "../listing.ts";
import { requireProject } from "../project.ts";
import { confirmCaller, perform, type Service } from "../service.ts";
import { toWholeMs } from "../time.ts";
import { changeOfApps, commandOn } from "./change.ts";
import { readApp } from "./read.ts";

/** The handlers on the keys by which applications prove themselves. */
export function appKeyHandlers(service: Service) {
  const { keyPairs, newId, now } = service;
  const change = changeOfApps(service);

  return {
    async addAppKey({ projectId, appId, expirationDate }, context) {
      const { organization } = callOf(context);
      const ending = expirationDate ? { expirationMs: toWholeMs(expirationDate) } : {};
      // Who is refused whatever the key does not make the service look for primes.
      await confirmCaller(service, context);
      const { state } = await readApp(service, { projectId, appId }, context);
      const holder = findKeyHolder(state, ending, now());
      if (holder.kind === "refused") throw new Refused(holder.refusal.rejection);

      const { publicKey, privateKey } = await keyPairs.create(context.signal);
      const keyId = newId();
      const input = { organization, projectId, keyId, publicKey, ...ending };
      const { clientId } = holder;
      return await perform(service, context, {
        ...commandOn({ projectId, appId }),
        decide: (states, nowMs) => addAppKey(states, input, nowMs),
        answer: (written) => ({
          id: keyId,
          details: createdDetails(written),
          keyDetails: keyFile({ type: "application", keyId, key: privateKey, appId, clientId }),
        }),
      });
    },

    async getAppKey({ projectId, appId, keyId }, context) {
      const found = await readApp(service, { projectId, appId }, context);
      const key = findKey(found.state.keys, keyId) ?? refuse("KEY_NOT_FOUND");
      return { key: showKey(found, keyId, key) };
    },

    async listAppKeys({ projectId, appId, query }, context) {
      await requireProject(service, projectId, context);
      const list = { parents: [projectId], where: matchIds(app, [appId]) };
      const { objects, details } = await listPage(service, context, app, list, undefined);
      const found = objects[0] ?? refuse("APP_NOT_FOUND");
      return listKeys({ found, details }, found.state.keys, query);
    },

    removeAppKey: ({ keyId, ...ids }, context) =>
      change(ids, context, (states, frame) => removeAppKey(states, { ...frame, keyId })),
  } satisfies Handlers;
}
