import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { KeySchema, KeyType } from "../../../gen/iam/authn/v1/key_pb.js";
import { type AppState, app, type HeldAppKey } from "../../domain/app/app.ts";
import { addAppKey, findKey, findKeyHolder, removeAppKey } from "../../domain/app/key.ts";
import type { Found } from "../../execute/read-object.ts";
import { callOf, Refused, refuse } from "../call.ts";
import { createdDetails, readDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { listPage, matchIds, pageOf } from "../listing.ts";
import { confirmCaller, requireAnswer, type Service } from "../service.ts";
import { toWholeMs } from "../time.ts";
import { changeOfApps, commandOn } from "./change.ts";
import { readApp, requireProject } from "./read.ts";

/** The handlers on the keys by which applications prove themselves. */
export function appKeyHandlers(service: Service) {
  const { execute, keyPairs, newId, now } = service;
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
      const file = { type: "application", keyId, key: privateKey, appId, clientId };
      const outcome = await execute({
        ...commandOn({ projectId, appId }, context),
        decide: (states, nowMs) => addAppKey(states, input, nowMs),
        answer: (written) => ({
          id: keyId,
          details: createdDetails(written),
          keyDetails: Buffer.from(JSON.stringify(file)),
        }),
      });
      return requireAnswer(outcome);
    },

    async getAppKey({ projectId, appId, keyId }, context) {
      const found = await readApp(service, { projectId, appId }, context);
      const key = findKey(found.state, keyId) ?? refuse("KEY_NOT_FOUND");
      return { key: showKey(found, keyId, key) };
    },

    async listAppKeys({ projectId, appId, query }, context) {
      await requireProject(service, projectId, context);
      const list = { parents: [projectId], where: matchIds(app, [appId]) };
      const { objects, details } = await listPage(service, context, app, list, undefined);
      const found = objects[0] ?? refuse("APP_NOT_FOUND");
      const keys = Object.entries(found.state.keys ?? {});
      const result = pageOf(keys, query).map(([keyId, key]) => showKey(found, keyId, key));
      return { details: { ...details, totalResult: BigInt(keys.length) }, result };
    },

    removeAppKey: ({ keyId, ...ids }, context) =>
      change(ids, context, (states, frame) => removeAppKey(states, { ...frame, keyId })),
  } satisfies Handlers;
}

function showKey({ stored }: Found<AppState>, id: string, { addedMs, expirationMs }: HeldAppKey) {
  return create(KeySchema, {
    id,
    details: readDetails({ ...stored, createdMs: addedMs, changedMs: addedMs }),
    type: KeyType.JSON,
    ...(expirationMs === undefined ? {} : { expirationDate: timestampFromMs(expirationMs) }),
  });
}
