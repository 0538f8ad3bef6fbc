import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  CheckInitializationRequest,
  CheckInitializationResponseSchema,
  InitializeRequest,
  InitializeResponseSchema,
  VerifyPhoneRequest,
  VerifyPhoneResponseSchema,
} from "../../../gen/iam/account/v1/account_pb.js";
import {
  checkInitialization,
  initialize,
  passwordCharacters,
  verifyOwnPhone,
} from "../../domain/user/account.ts";
import { shownUserName } from "../../domain/user/user.ts";
import { changedDetails } from "../details.ts";
import { type Service, written } from "../service.ts";
import { initializationCodePlace } from "../user/human.ts";
import { phoneCodePlace } from "../user/phone.ts";
import { persons } from "./person.ts";

/** The handlers by which people take their accounts over and verify their phones. */
export function accountHandlers(service: Service) {
  const { keyring, passwords } = service;
  const { decided, person } = persons(service);

  const initializationCode = (userId: string, code: string) => ({
    opens: (sealed: string) => keyring.opens(sealed, initializationCodePlace(userId), code),
  });
  return {
    async checkInitialization({
      userId,
      code,
    }: CheckInitializationRequest): Promise<
      MessageInitShape<typeof CheckInitializationResponseSchema>
    > {
      const shown = initializationCode(userId, code);
      const state = await person(userId, (found, nowMs) =>
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

    async initialize({
      userId,
      code,
      password,
    }: InitializeRequest): Promise<MessageInitShape<typeof InitializeResponseSchema>> {
      const shown = initializationCode(userId, code);
      // Whoever has no code does not make the service hash passwords.
      await person(userId, (found, nowMs) => checkInitialization(found, shown, nowMs));
      const hash = password === "" ? {} : { passwordHash: await passwords.hashPassword(password) };
      const outcome = await decided(userId, (found, nowMs) =>
        initialize(found, { ...shown, ...hash }, nowMs),
      );
      return { details: changedDetails(written(outcome)) };
    },

    async verifyPhone({
      userId,
      code,
    }: VerifyPhoneRequest): Promise<MessageInitShape<typeof VerifyPhoneResponseSchema>> {
      const place = phoneCodePlace(userId);
      const opens = (sealed: string) => keyring.opens(sealed, place, code);
      const outcome = await decided(userId, (found, nowMs) =>
        verifyOwnPhone(found, { opens }, nowMs),
      );
      return { details: changedDetails(written(outcome)) };
    },
  };
}
