/** The parts of the account page, in the order in which they are listed. */
export const accountParts = [
  "overview",
  "profile",
  "email",
  "phone",
  "password",
  "passkeys",
  "authenticator",
  "links",
  "sessions",
  "activity",
  "data",
  "erasure",
] as const;

/** The name of a part, and of its path. */
export type AccountPart = (typeof accountParts)[number];

/** What people are told of that happened to their account. */
export const activities = [
  "login",
  "loginFailed",
  "locked",
  "passwordChanged",
  "passwordReset",
  "passwordSet",
  "emailRequested",
  "emailChanged",
  "phoneChanged",
  "phoneRemoved",
  "passkeyAdded",
  "passkeyRenamed",
  "passkeyRemoved",
  "accountLinked",
  "accountUnlinked",
  "appAdded",
  "appRemoved",
  "codesMade",
  "codeUsed",
  "sessionEnded",
  "sessionTerminated",
  "allEnded",
  "allowed",
  "withdrawn",
  "erasureAsked",
  "erasureWithdrawn",
] as const;

/** The name of something that happened. */
export type Activity = (typeof activities)[number];
