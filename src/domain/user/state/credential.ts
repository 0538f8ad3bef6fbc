import { type Ending, isCurrent } from "../../ending.ts";
import type { Credential } from "./credential-name.ts";
import type { CredentialState } from "./credential-state.ts";
import { isSpent, type SealedCode } from "./human-state.ts";
import type { MachineEntry } from "./machine-entry.ts";
import { type Made, madeThrough } from "./made.ts";

/** A personal access token: the SHA-256 of it in hexadecimal, and when it ends. */
export interface Token extends Ending {
  readonly tokenHash: string;
}

/** A token as its user has it, and when it was added (Unix milliseconds). */
export interface HeldToken extends Token, Made {
  readonly addedMs: number;
}

/** The part of a user by which somebody gets in as the user. */
export interface Entry extends MachineEntry {
  readonly tokens: { readonly [tokenId: string]: HeldToken };
  readonly human?: CredentialState;
}

/**
 * All that lets somebody in as the user now, each with the user who made it. An e-mail address does
 * by what is mailed there: a code for it is made through the user who chose the address, too.
 */
export function credentialsOf(
  { tokens, clientSecret, keys = {}, human }: Entry,
  nowMs: number,
): readonly (Credential & Made)[] {
  const current = (kind: "token" | "key", all: { readonly [id: string]: Ending & Made }) =>
    Object.entries(all)
      .filter(([, one]) => isCurrent(one, nowMs))
      .map(([id, one]) => ({ kind, id, ...madeOf(one) }));
  return [
    ...current("token", tokens),
    ...(clientSecret ? [{ kind: "client-secret", ...madeOf(clientSecret) } as const] : []),
    ...current("key", keys),
    ...(human === undefined ? [] : ofHuman(human, nowMs)),
  ];
}

function ofHuman(human: CredentialState, nowMs: number): readonly (Credential & Made)[] {
  const { passwordMade, initialization, emailMade, passwordless, passkeys, externalIDPs } = human;
  const mailed = initialization?.send === false ? undefined : emailMade;
  return [
    ...(emailMade === undefined ? [] : [{ kind: "email", ...emailMade } as const]),
    ...(passwordMade === undefined ? [] : [{ kind: "password", ...passwordMade } as const]),
    ...(initialization && !isSpent(initialization, nowMs)
      ? [{ kind: "initialization-code", ...madeThrough(madeOf(initialization), mailed) } as const]
      : []),
    ...passwordless
      .filter((code) => !isSpent(code, nowMs))
      .map((link) => {
        const made = madeThrough(madeOf(link), link.code === undefined ? undefined : emailMade);
        return { kind: "passkey-link", id: link.codeId, ...made } as const;
      }),
    ...passkeys.map((one) => ({ kind: "passkey", id: one.credentialId, ...madeOf(one) }) as const),
    ...externalIDPs.map((one) => {
      const { idpId, externalUserId: id } = one;
      return { kind: "external-account", id, idpId, ...madeOf(one) } as const;
    }),
  ];
}

function madeOf({ maker, via }: Made): Made {
  return via === undefined ? { maker } : { maker, via };
}

/** The sealed codes that would still let somebody in or verify something, and when each ends. */
export function pendingCodesOf({ human }: Entry, nowMs: number): readonly SealedCode[] {
  const { initialization, emailCode, emailRequest, passwordCode, phone } = human ?? {};
  const { passwordless = [] } = human ?? {};
  const others = [initialization, emailCode, emailRequest, passwordCode, phone?.code];
  return [...others, ...passwordless].flatMap((one) => {
    if (one?.code === undefined || isSpent(one, nowMs)) return [];
    const { code, expirationMs } = one;
    return [{ code, ...(expirationMs === undefined ? {} : { expirationMs }) }];
  });
}
