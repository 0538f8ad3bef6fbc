import { StoreUnavailable } from "../store.ts";

/** What is to be done after a statement has failed. */
export type Failure =
  /** The database gave it up for others: the same may be tried at once. */
  | "again"
  /** Another process holds the lock for long. */
  | "busy"
  /** Nobody knows whether it was done. */
  | "lost"
  /** It was not done, because of how the database is now. */
  | "unavailable"
  /** It was not done, because of what was asked. */
  | "wrong";

/** SQLSTATE codes that the function of the schema raises. */
export const raised = {
  ...{ history: "IA001", revision: "IA002", isolation: "IA003", unchecked: "IA004" },
} as const;

/** What each code says to operators and callers; the rest is said with its code. */
const sentences: { readonly [code: string]: string } = {
  "08P01": "The connection pooler has no connection for this service: see its log.",
  "25006": "The database is read-only: it is a standby, or set so.",
  "28000":
    "The database refuses the login of this service: see its pg_hba.conf, and set sslmode " +
    "if it requires TLS.",
  "28P01": "The database refuses the login of this service: the password is wrong.",
  "3D000": "The database of IAM_DATABASE_URL does not exist.",
  "3F000": "The tables of the service are missing in the database.",
  "42501":
    "The role of the service lacks a privilege: run migrate, and grant the role the schema iam.",
  "42P01": "The tables of the service are missing in the database.",
  "42883": "The functions of the service are missing in the database.",
  "53100": "The disk of the database is full.",
  "53200": "The database is out of memory.",
  "53300": "The database accepts no further connections.",
  "55P03": "Other processes held the append lock for too long.",
  [raised.unchecked]: "Other processes append faster than this process can check their events.",
  "57014": "The database cancelled a statement that took too long.",
  "57P01": "The database is shutting down.",
  "57P02": "The database has crashed and is recovering.",
  "57P03": "The database is starting up.",
};

const stranger =
  "The certificate of the database is not from a trusted authority. Set sslrootcert in the " +
  "URL to the PEM file of its authority, or sslmode=require, which accepts any.";

/** What the driver says without a code of what the settings have to say otherwise. */
const ofDriver: readonly (readonly [said: string, sentence: string])[] = [
  [
    "does not support SSL",
    "The database does not support TLS. Turn TLS on there, or set sslmode=disable in its " +
      "URL if the network is trusted.",
  ],
  ["self-signed certificate", stranger],
  ["issuer certificate", stranger],
  ["verify the first certificate", stranger],
  [
    "does not match certificate",
    "The certificate of the database names another host. Use that host in the URL, or " +
      "sslmode=verify-ca with sslrootcert.",
  ],
  ["no such file or directory, open", "A file that the URL of the database names does not exist."],
  ["client password must be", "The database requires a password, but IAM_DATABASE_URL has none."],
];

/** SQLSTATE classes of what is not about what was asked. */
const passingClasses = ["08", "25", "28", "3D", "3F", "53", "55", "57", "58", "F0", "XX"];
const passingCodes = ["42501", "42P01", "42883"];

/** SQLSTATE codes of what the database gave up for others. */
const givenUp = ["40001", "40P01"];

/** What a failure comes to, of a statement that had been sent. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StoreUnavailable) return "unavailable";
  if (error instanceof TypeError || error instanceof RangeError) return "wrong";
  const code = sqlStateOf(error);
  if (code === undefined) return "lost";
  if (givenUp.includes(code) || code === raised.unchecked) return "again";
  if (code === "55P03") return "busy";
  // The server ended the connection, be it before the commit or after it.
  if (code.startsWith("08") || code.startsWith("57P")) return "lost";
  return isPassing(code) || isRaised(code) ? "unavailable" : "wrong";
}

function isPassing(code: string): boolean {
  return passingClasses.includes(code.slice(0, 2)) || passingCodes.includes(code);
}

function isRaised(code: string): boolean {
  return Object.values(raised).some((one) => one === code);
}

/** The SQLSTATE of what the server said; undefined where it said nothing. */
export function sqlStateOf(error: unknown): string | undefined {
  // The codes of the system, like ECONNREFUSED, have another length, all but EPIPE.
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}

/**
 * The error that tells a caller to try later. Of what caused it, it keeps the code alone: the rest
 * may name the database.
 */
export function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const code = sqlStateOf(error);
  const { code: systemCode } = error as { readonly code?: unknown };
  const cause = { code: code ?? systemCode };
  if (code === raised.history) {
    return new StoreUnavailable(
      "The event log was changed behind this process: it does not continue what this " +
        "process has seen.",
      { why: "history-changed", cause },
    );
  }
  if (code === raised.revision || isTakenOver(error)) {
    return new StoreUnavailable(
      "A newer version of the program has taken over the log: start that version.",
      {
        cause,
      },
    );
  }
  if (code === raised.isolation) {
    return new StoreUnavailable(
      "The database must use the isolation level read committed: see " +
        "default_transaction_isolation.",
      { cause },
    );
  }
  if (code !== undefined) {
    const { message } = error as { readonly message?: unknown };
    // What is wrong with a statement says nothing of its values.
    const more = code.startsWith("42") ? `: ${message}` : "";
    const sentence = sentences[code] ?? `The database fails (${code}${more}).`;
    return new StoreUnavailable(sentence, { cause });
  }
  const { message } = error as { readonly message?: unknown };
  if (typeof message === "string") {
    const [, sentence] = ofDriver.find(([said]) => message.includes(said)) ?? [];
    if (sentence !== undefined) return new StoreUnavailable(sentence, { cause });
  }
  const what =
    typeof systemCode === "string" ? systemCode : "no answer in time, or the connection was cut";
  return new StoreUnavailable(`The database cannot be reached (${what}).`, { cause });
}

/** What callers are told of a failed statement: what was wrong with it, or to try later. */
export function callersError(error: unknown): unknown {
  return failureOf(error) === "wrong" ? error : unavailable(error);
}

/** Whether what a statement names of its revision is gone: no other has a name of that form. */
function isTakenOver(error: unknown): boolean {
  const { message } = error as { readonly message?: unknown };
  const isMissing = ["3F000", "42P01", "42883"].includes(sqlStateOf(error) ?? "");
  return isMissing && typeof message === "string" && /\biam_r\d+\b/.test(message);
}

/** The error of what is refused by a code, as if the server had said so. */
export function refused(code: string): StoreUnavailable {
  return unavailable({ code, severity: "ERROR" });
}

/** The error of a log in which something was found that is wrong. */
export function unsound(fault: string, cause?: Error): StoreUnavailable {
  return new StoreUnavailable(`The event log is not what was written: ${fault}.`, {
    why: "history-changed",
    cause,
  });
}

/** Whether the machine of the database had no room, or could not write, whatever was asked. */
export function isForRoom(error: unknown): boolean {
  return /^(?:53(?!300)|58)...$/.test(causeOf(error));
}

/** Whether the database gave a statement up for others, so that it may be tried at once. */
export function isForOthers(error: unknown): boolean {
  return givenUp.includes(causeOf(error));
}

/** The code of what made the store unavailable; empty where it has none. */
function causeOf(error: unknown): string {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

/** Whether the error says by itself what is wrong, and is none of the driver's. */
export function isOurs(error: unknown): boolean {
  const isOfSystem = error instanceof Error && "errno" in error;
  return error instanceof Error && sqlStateOf(error) === undefined && !isOfSystem;
}
