/** The parts of the account page, in the order in which they are listed. */
export const accountParts = [
  "overview",
  "profile",
  "email",
  "phone",
  "password",
  "passkeys",
  "authenticator",
  "sessions",
  "data",
  "erasure",
] as const;

/** The name of a part, and of its path. */
export type AccountPart = (typeof accountParts)[number];
