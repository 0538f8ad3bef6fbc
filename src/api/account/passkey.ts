import { addPasskey, checkPasskeyCode } from "../../domain/user/credential/account.ts";
import { shownUserName, type UserState } from "../../domain/user/state/user.ts";
import { isHashOf } from "../../secrets/tokens.ts";
import { changedDetails } from "../details.ts";
import type { AccountHandlers } from "../handlers.ts";
import { requireWritten, type Service } from "../service.ts";
import { checkPerson, decideAsPerson } from "./person.ts";
import { registrationOf } from "./registration.ts";
import { createPasskeys } from "./webauthn.ts";

/** The handlers by which people register passkeys. */
export function passkeyHandlers(service: Service) {
  const passkeys = createPasskeys(service);
  const showCode = (codeId: string, code: string) => ({
    codeId,
    opens: (codeHash: string) => isHashOf(codeHash, code),
  });

  return {
    async beginPasskey({ userId, codeId, code }, context) {
      const shown = showCode(codeId, code);
      const check = (found: UserState | undefined, nowMs: number) =>
        checkPasskeyCode(found, shown, nowMs);
      const state = await checkPerson(service, userId, check, context);
      const { userName, human } = state;
      const displayName = shownUserName(state);
      const person = { userName, displayName, passkeys: human?.passkeys ?? [] };
      return { options: await passkeys.createOptions({ userId, codeId }, person) };
    },

    async finishPasskey(request, context) {
      const { userId, codeId, code, name } = request;
      const registration = registrationOf(request);
      const shown = showCode(codeId, code);
      const check = (found: UserState | undefined, nowMs: number) =>
        checkPasskeyCode(found, shown, nowMs);
      await checkPerson(service, userId, check, context);
      const passkey = await passkeys.verify({ userId, codeId }, registration);
      const outcome = await decideAsPerson(service, userId, (found, nowMs) =>
        addPasskey(found, { ...shown, passkey: { ...passkey, name } }, nowMs),
      );
      return { details: changedDetails(requireWritten(outcome)) };
    },
  } satisfies AccountHandlers;
}
