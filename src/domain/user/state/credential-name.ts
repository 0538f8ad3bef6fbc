/**
 * Something that lets its holder in as a user, by its kind. A user who may have several of a
 * kind has them by id: of the token or the key, of the passkey link or the passkey, or of the
 * account at the provider `idpId`.
 */
export interface Credential {
  readonly kind:
    | "token"
    | "client-secret"
    | "key"
    | "email"
    | "password"
    | "initialization-code"
    | "passkey-link"
    | "passkey"
    | "external-account";
  readonly id?: string;
  readonly idpId?: string;
}

/**
 * A credential as answers name it: the kind, and behind colons what tells it from others of the
 * kind, for example `token:<id>` or `external-account:<id of the provider>:<id there>`.
 */
export function nameCredential({ kind, idpId, id }: Credential): string {
  return [kind, idpId, id].filter((part) => part !== undefined).join(":");
}
