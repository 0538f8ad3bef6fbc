import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  BeginPasskeyRequest,
  BeginPasskeyResponseSchema,
  FinishPasskeyRequest,
  FinishPasskeyResponseSchema,
} from "../../../gen/iam/account/v1/account_pb.js";
import { addPasskey, checkPasskeyCode } from "../../domain/user/account.ts";
import { isHashOf } from "../../secrets/tokens.ts";
import { changedDetails } from "../details.ts";
import { type Service, written } from "../service.ts";
import { persons } from "./person.ts";
import { createPasskeys } from "./webauthn.ts";

/** The handlers by which people register passkeys. */
export function passkeyHandlers(service: Service) {
  const { decided, person } = persons(service);
  const passkeys = createPasskeys(service);
  const linkCode = (codeId: string, code: string) => ({
    codeId,
    opens: (codeHash: string) => isHashOf(codeHash, code),
  });

  return {
    async beginPasskey({
      userId,
      codeId,
      code,
    }: BeginPasskeyRequest): Promise<MessageInitShape<typeof BeginPasskeyResponseSchema>> {
      const shown = linkCode(codeId, code);
      const state = await person(userId, (found, nowMs) => checkPasskeyCode(found, shown, nowMs));
      return { options: await passkeys.options({ userId, codeId }, state) };
    },

    async finishPasskey(
      request: FinishPasskeyRequest,
    ): Promise<MessageInitShape<typeof FinishPasskeyResponseSchema>> {
      const { userId, codeId, code, credential = {}, name } = request;
      const shown = linkCode(codeId, code);
      await person(userId, (found, nowMs) => checkPasskeyCode(found, shown, nowMs));
      const passkey = await passkeys.verified({ userId, codeId }, credential);
      const outcome = await decided(userId, (found, nowMs) =>
        addPasskey(found, { ...shown, passkey: { ...passkey, name } }, nowMs),
      );
      return { details: changedDetails(written(outcome)) };
    },
  };
}
