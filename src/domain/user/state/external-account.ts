import type { ExternalAccount, ExternalIDP } from "./credential-event.ts";
import type { Made } from "./made.ts";

/** A user with accounts at identity providers. */
interface Holder {
  readonly externalIDPs: readonly (ExternalIDP & Made)[];
}

/** Whether both are the same account. */
export function isAccount(a: ExternalAccount, b: ExternalAccount): boolean {
  return a.idpId === b.idpId && a.externalUserId === b.externalUserId;
}

/** The same person with one more link to an account. */
export function withAccount<State extends Holder>(
  human: State,
  account: Holder["externalIDPs"][number],
): State {
  return { ...human, externalIDPs: [...human.externalIDPs, account] };
}

/** The same person without the link to the account. */
export function withoutAccount<State extends Holder>(
  human: State,
  account: ExternalAccount,
): State {
  const externalIDPs = human.externalIDPs.filter((one) => !isAccount(one, account));
  return { ...human, externalIDPs };
}
