import { withoutKey } from "../../key.ts";
import type { Entry } from "./credential.ts";
import type { Credential } from "./credential-name.ts";
import { withoutAccount } from "./external-account.ts";
import { withoutCodes } from "./factor.ts";
import { withEndedInitialization, withoutEmailCode } from "./human-state.ts";
import { endLogins, type HumanState } from "./login-state.ts";
import { withoutSecret } from "./machine-entry.ts";
import { withoutPasskey } from "./passkey.ts";
import { withoutPasswordCode } from "./password.ts";

type Holder = Entry & { readonly human?: HumanState };

/** What ends with a credential of one kind. */
interface Voiding {
  /** Whether people log in with it: then their sessions, consents and grants end, too. */
  readonly logsIn: boolean;
  /** The same user, whom it lets in no more. */
  readonly remove: (user: Holder, credential: Credential) => Holder;
}

/** What ends with a credential of each kind. */
const voidings: { readonly [Kind in Credential["kind"]]: Voiding } = {
  token: {
    logsIn: false,
    remove: (user, { id }) => {
      const left = Object.entries(user.tokens).filter(([tokenId]) => tokenId !== id);
      return { ...user, tokens: Object.fromEntries(left) };
    },
  },
  "client-secret": { logsIn: false, remove: withoutSecret },
  key: {
    logsIn: false,
    remove: (user, { id = "" }) => ({ ...user, keys: withoutKey(user.keys, id) }),
  },
  email: ofPerson(false, ({ emailMade: _made, ...human }) => withoutEmailCode(human)),
  password: ofPerson(true, (human) => {
    const { passwordHash: _hash, passwordMade: _made, passwordChangedMs: _at, ...left } = human;
    return left;
  }),
  // The person has yet to take the account over, by another code.
  "initialization-code": ofPerson(false, withEndedInitialization),
  "passkey-link": ofPerson(false, (human, { id }) => ({
    ...human,
    passwordless: human.passwordless.filter(({ codeId }) => codeId !== id),
  })),
  passkey: ofPerson(true, (human, { id = "" }) => withoutPasskey(human, { credentialId: id })),
  "external-account": ofPerson(true, (human, { id = "", idpId = "" }) =>
    withoutAccount(human, { idpId, externalUserId: id }),
  ),
};

function ofPerson(
  logsIn: boolean,
  remove: (human: HumanState, credential: Credential) => HumanState,
): Voiding {
  return {
    logsIn,
    remove: (user, credential) =>
      user.human === undefined ? user : { ...user, human: remove(user.human, credential) },
  };
}

/**
 * The same user, whom these let in no more from this time on (Unix milliseconds). Codes for
 * forgotten passwords end as well, and so does the proof of an e-mail address that is among them.
 */
export function withoutCredentials<State extends Holder>(
  state: State,
  voided: readonly Credential[],
  timeMs: number,
): State {
  const left = voided.reduce<Holder>((user, one) => voidings[one.kind].remove(user, one), state);
  if (left.human === undefined) return left as State;

  const endsLogins = voided.some(({ kind }) => voidings[kind].logsIn);
  // Who logged in with it may have had codes shown.
  const human = withoutPasswordCode(endsLogins ? withoutCodes(left.human) : left.human);
  const isUnproven = human.isEmailVerified && human.emailMade === undefined;
  return {
    ...left,
    human: {
      ...human,
      ...(human.login !== undefined && endsLogins ? { login: endLogins(human.login) } : {}),
      ...(isUnproven ? { isEmailVerified: false, updatedMs: timeMs } : {}),
    },
  } as State;
}
