import {
  checkInitialization,
  initialize,
  passwordCharacters,
  verifyOwnPhone,
} from "../../domain/user/account.ts";
import { placeOfCode } from "../../domain/user/code.ts";
import { shownUserName } from "../../domain/user/user.ts";
import { changedDetails } from "../details.ts";
import type { AccountHandlers } from "../handlers.ts";
import { requireWritten, type Service } from "../service.ts";
import { showPhoneCode } from "../user/phone.ts";
import { checkPerson, decideAsPerson } from "./person.ts";

/** The handlers by which people take their accounts over and verify their phones. */
export function accountHandlers(service: Service) {
  const { keyring, passwords } = service;

  function showCode(userId: string, code: string) {
    const place = placeOfCode("user.human.initialization.code.added", userId);
    return { opens: (sealed: string) => keyring.opens(sealed, place, code) };
  }

  return {
    async checkInitialization({ userId, code }) {
      const shown = showCode(userId, code);
      const state = await checkPerson(service, userId, (found, nowMs) =>
        checkInitialization(found, shown, nowMs),
      );
      return {
        userName: state.userName,
        displayName: shownUserName(state),
        needsPassword: state.human?.passwordHash === undefined,
        passwordCharactersMin: passwordCharacters.min,
        passwordCharactersMax: passwordCharacters.max,
        phoneUnverified: state.human?.phone?.isVerified === false,
      };
    },

    async initialize({ userId, code, password }) {
      const shown = showCode(userId, code);
      // Whoever has no code does not make the service hash passwords.
      await checkPerson(service, userId, (found, nowMs) =>
        checkInitialization(found, shown, nowMs),
      );
      const hash = password === "" ? {} : { passwordHash: await passwords.hashPassword(password) };
      const outcome = await decideAsPerson(service, userId, (found, nowMs) =>
        initialize(found, { ...shown, ...hash }, nowMs),
      );
      return { details: changedDetails(requireWritten(outcome)) };
    },

    async verifyPhone({ userId, code }) {
      const shown = showPhoneCode(keyring, userId, code);
      const outcome = await decideAsPerson(service, userId, (found, nowMs) =>
        verifyOwnPhone(found, shown, nowMs),
      );
      return { details: changedDetails(requireWritten(outcome)) };
    },
  } satisfies AccountHandlers;
}
