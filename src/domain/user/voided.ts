import { type Credential, type Entry, withoutSecret } from "./credential/credential.ts";
import { withoutPasswordCode } from "./credential/state.ts";
import { codeFailuresMax } from "./human/state.ts";
import { endLogins, type HumanState } from "./login/state.ts";

/**
 * The same user, whom these let in no more. Nothing stays of logins with a password or a passkey
 * that is among them.
 */
export function withoutCredentials<State extends Entry & { readonly human?: HumanState }>(
  state: State,
  voided: readonly Credential[],
): State {
  const isVoid = (kind: Credential["kind"], id?: string, idpId?: string) =>
    voided.some((one) => one.kind === kind && one.id === id && one.idpId === idpId);
  const tokens = Object.fromEntries(
    Object.entries(state.tokens).filter(([id]) => !isVoid("token", id)),
  );
  const kept = isVoid("client-secret") ? withoutSecret(state) : state;
  const { human } = state;
  if (human === undefined) return { ...kept, tokens };
  const { emailMade, passwordHash, passwordMade, passwordChangedMs, initialization, ...rest } =
    withoutPasswordCode(human);
  const { login } = rest;
  const isOfLogins = voided.some(({ kind }) => kind === "password" || kind === "passkey");
  const password = { passwordHash, passwordMade, passwordChangedMs };
  const left: HumanState = {
    ...rest,
    ...(login !== undefined && isOfLogins ? { login: endLogins(login) } : {}),
    ...(emailMade === undefined || isVoid("email") ? { isEmailVerified: false } : { emailMade }),
    ...(passwordHash === undefined || isVoid("password") ? {} : password),
    ...(initialization === undefined
      ? {}
      : {
          // The person has yet to take the account over, by another code.
          initialization: isVoid("initialization-code")
            ? { ...initialization, failures: codeFailuresMax }
            : initialization,
        }),
    passwordless: human.passwordless.filter(({ codeId }) => !isVoid("passkey-link", codeId)),
    passkeys: human.passkeys.filter(({ credentialId }) => !isVoid("passkey", credentialId)),
    externalIDPs: human.externalIDPs.filter(
      ({ idpId, externalUserId }) => !isVoid("external-account", externalUserId, idpId),
    ),
  };
  return { ...kept, tokens, human: left };
}
