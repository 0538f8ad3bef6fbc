import type { HandlerContext } from "@connectrpc/connect";
import { addPasskey, checkPasskeyCode } from "../../domain/user/credential/account.ts";
import { shownUserName } from "../../domain/user/state/user.ts";
import { isHashOf } from "../../secrets/tokens.ts";
import type { AccountHandlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { changeAsPerson, checkPerson } from "./person.ts";
import { registrationOf } from "./registration.ts";
import { createPasskeys } from "./webauthn.ts";

/** The handlers by which people register passkeys. */
export function passkeyHandlers(service: Service) {
  const passkeys = createPasskeys(service);
  const showCode = (codeId: string, code: string) => ({
    codeId,
    opens: (codeHash: string) => isHashOf(codeHash, code),
  });
  const check = (userId: string, shown: ReturnType<typeof showCode>, context: HandlerContext) =>
    checkPerson(service, userId, (found, nowMs) => checkPasskeyCode(found, shown, nowMs), context);

  return {
    async beginPasskey({ userId, codeId, code }, context) {
      const shown = showCode(codeId, code);
      const state = await check(userId, shown, context);
      const { userName, human } = state;
      const displayName = shownUserName(state);
      const person = { userName, displayName, passkeys: human?.passkeys ?? [] };
      return { options: await passkeys.createOptions({ userId, codeId }, person) };
    },

    async finishPasskey(request, context) {
      const { userId, codeId, code, name } = request;
      const registration = registrationOf(request);
      const shown = showCode(codeId, code);
      await check(userId, shown, context);
      const passkey = await passkeys.verify({ userId, codeId }, registration);
      return await changeAsPerson(service, userId, (found, nowMs) =>
        addPasskey(found, { ...shown, passkey: { ...passkey, name } }, nowMs),
      );
    },
  } satisfies AccountHandlers;
}
