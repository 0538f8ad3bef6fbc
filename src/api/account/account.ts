import {
  checkInitialization,
  initialize,
  verifyOwnPhone,
} from "../../domain/user/credential/account.ts";
import { codeFieldOf } from "../../domain/user/credential/code.ts";
import { passwordCharacters, refuseOwnPassword } from "../../domain/user/credential/password.ts";
import { verifyEmail } from "../../domain/user/own/email.ts";
import { shownUserName, type UserState } from "../../domain/user/state/user.ts";
import { findOrganizationName } from "../../execute/read-object.ts";
import { isEqual } from "../../secrets/tokens.ts";
import { readerOf } from "../../store/objects.ts";
import { Refused } from "../call.ts";
import type { AccountHandlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { showPhoneCode } from "../user/phone.ts";
import { changeAsPerson, checkPerson, endAsPerson } from "./person.ts";

/** The events of codes that are mailed both to be typed and in a link. */
type LinkedType =
  | "user.human.initialization.code.added"
  | "user.human.email.code.added"
  | "user.human.email.requested";

/** The handlers by which people take their accounts over and verify how they are reached. */
export function accountHandlers(service: Service) {
  const { keyring, passwords } = service;

  /** The code of a mail as it was typed, or the longer one of the link. */
  function showCode(type: LinkedType, userId: string, code: string) {
    const sealedField = codeFieldOf(type, userId);
    const isOfLink = (sealed: string) => isEqual(keyring.derive(sealed, sealedField), code);
    return {
      opens: (sealed: string) => keyring.opens(sealed, sealedField, code) || isOfLink(sealed),
    };
  }

  return {
    async checkInitialization({ userId, code }, context) {
      const shown = showCode("user.human.initialization.code.added", userId, code);
      const check = (found: UserState | undefined, nowMs: number) =>
        checkInitialization(found, shown, nowMs);
      const state = await checkPerson(service, userId, check, context);
      return {
        userName: state.userName,
        displayName: shownUserName(state),
        needsPassword: state.human?.passwordHash === undefined,
        passwordCharactersMin: passwordCharacters.min,
        passwordCharactersMax: passwordCharacters.max,
        phoneUnverified: state.human?.phone?.isVerified === false,
        organization: await findOrganizationName(readerOf(service.store), state.organization),
      };
    },

    async initialize({ userId, code, password }, context) {
      const shown = showCode("user.human.initialization.code.added", userId, code);
      // A caller without a code does not make the service hash passwords.
      const check = (found: UserState | undefined, nowMs: number) =>
        checkInitialization(found, shown, nowMs);
      const state = await checkPerson(service, userId, check, context);
      const own = refuseOwnPassword(state, password);
      if (own !== undefined) throw new Refused(own.rejection);
      const { signal } = context;
      const take = async () => {
        // Another may have used the code up meanwhile.
        if (password !== "") await checkPerson(service, userId, check, context);
        const hash =
          password === ""
            ? {}
            : { passwordHash: await passwords.hashPassword(password, { signal }) };
        return await changeAsPerson(service, userId, (found, nowMs) =>
          initialize(found, { ...shown, ...hash }, nowMs),
        );
      };
      return await passwords.byCode(`initialization ${userId}`, take, signal);
    },

    verifyEmail({ userId, code }) {
      const { opens: opensRequest } = showCode("user.human.email.requested", userId, code);
      const shown = { ...showCode("user.human.email.code.added", userId, code), opensRequest };
      return endAsPerson(service, userId, (found, nowMs) =>
        verifyEmail(found, { userId, ...shown }, nowMs),
      );
    },

    verifyPhone({ userId, code }) {
      const shown = showPhoneCode(keyring, userId, code);
      return changeAsPerson(service, userId, (found, nowMs) => verifyOwnPhone(found, shown, nowMs));
    },
  } satisfies AccountHandlers;
}
