/** The bounds on logging in as one person, and from one address. */
export const loginLimits = {
  /** Wrong passwords and codes after which unknown browsers are locked out. */
  failures: 10,
  /** Milliseconds for which they are, and within which tries are counted. */
  lockedMs: 15 * 60_000,
  /** Milliseconds of the longest lock that wrong one-time codes lead to. */
  lockedMsMax: 24 * 60 * 60_000,
  /** Wrong codes of a person in a known browser, which no lock keeps out. */
  codesOfDay: 30,
  /** Milliseconds from the first of them until they are counted anew. */
  codesMs: 24 * 60 * 60_000,
  /** Passwords, codes and passkeys of strangers that may be wrong in that time, of one address. */
  triesOfAddress: 100,
  /** The same of strangers where no address is known: on this machine, which may be a proxy. */
  triesOfMachine: 1_000,
  /** Logins that may be begun from one address in that time, with sessions of nobody. */
  begunOfAddress: 1_000,
  /** The same of a /48 of IPv6. */
  begunOfSite: 5_000,
  /** Of all of them, and questions for passkeys, those that are kept: the oldest of more go. */
  begun: 50_000,
  /** Bytes of the parameters of one of them, as JSON. */
  begunBytes: 2 * 1024,
  /** Sessions of one person: the oldest of more has ended. */
  sessions: 50,
  /** Applications of one session that are told when it has ended. */
  told: 20,
  /** Milliseconds after its login at which a session has ended. */
  sessionMs: 14 * 24 * 60 * 60_000,
  /** Milliseconds that a person may take to show a passkey. */
  passkeyMs: 5 * 60_000,
  /** Browsers of one person that are known again. */
  browsers: 20,
  /** Grants of one person that are known to have ended, of more the last. */
  endedGrants: 100,
  /** Sessions of one person that administrators ended one by one: with one more, all end. */
  terminated: 100,
  /** Applications that may act for one person: of more, the one let first may no more. */
  consents: 50,
  /** Sites of one of them that hear the answer without a question. */
  sites: 20,
} as const;
