import type { AddMachineKeyRequest } from "../../../gen/iam/management/v1/machine_key_pb.js";
import { accept, type Violation } from "../../domain/decision.ts";
import {
  addMachineKey,
  refuseMachineKey,
  removeMachineKey,
} from "../../domain/user/credential/key.ts";
import { readPublicKey } from "../../secrets/public-key.ts";
import { actorOf, callOf, viaOfCall } from "../call.ts";
import { createdDetails } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { keyFile, listKeys } from "../key.ts";
import { perform, requireDone, type Service } from "../service.ts";
import { toWholeMs } from "../time.ts";
import { readUser } from "./credential.ts";
import { actingOn, changeUser } from "./user.ts";

/** The handlers on the keys by which machines get access tokens. */
export function machineKeyHandlers(service: Service) {
  const { execute, keyPairs, newId } = service;

  return {
    async addMachineKey({ userId, expirationDate, publicKey: given }, context) {
      const { organization } = callOf(context);
      const ending = expirationDate ? { expirationMs: toWholeMs(expirationDate) } : {};
      const acting = actingOn(userId, context);
      const acted = { organization, ...ending };
      // Who is refused whatever the key does not make the service look for primes.
      const check = await execute({
        ...{ ...actorOf(context), ...acting },
        decide: (states, nowMs) => refuseMachineKey(states, acted, nowMs) ?? accept({}),
      });
      requireDone(check);

      const read = readPublicKey(Buffer.from(given).toString());
      const { publicKey, privateKey } =
        read === undefined
          ? await keyPairs.create(context.signal)
          : { publicKey: read, privateKey: undefined };
      const keyId = newId();
      const key = { ...acted, keyId, publicKey, ...viaOfCall(context) };
      return await perform(service, context, {
        ...acting,
        decide: (states, nowMs) => addMachineKey(states, key, nowMs),
        answer: (written) => ({
          keyId,
          details: createdDetails(written),
          ...(privateKey === undefined
            ? {}
            : { keyDetails: keyFile({ type: "serviceaccount", keyId, key: privateKey, userId }) }),
        }),
      });
    },

    async listMachineKeys({ userId, query }, context) {
      const read = await readUser(service, userId, context);
      return listKeys(read, read.found.state.keys, query);
    },

    removeMachineKey: ({ userId, keyId }, context) =>
      changeUser(service, userId, context, (states, acted) =>
        removeMachineKey(states, { ...acted, keyId }),
      ),
  } satisfies Handlers;
}

/** The broken rules of a public key that the caller has made. */
export function machineKeyViolations({ publicKey }: AddMachineKeyRequest): readonly Violation[] {
  const isRead = readPublicKey(Buffer.from(publicKey).toString()) !== undefined;
  if (publicKey.length === 0 || isRead) return [];
  const description = "must be an RSA public key of 2,048 to 4,096 bits in PEM, of exponent 65,537";
  return [{ field: "public_key", description }];
}
