import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { CallLine } from "./gateway/record.ts";

/** Members whose values never belong in a log, whoever passes them. */
const secretMembers = [
  "authorization",
  "clientSecret",
  "clientSecretHash",
  "password",
  "token",
  "tokenHash",
];

export interface Logs {
  /** For everything that may happen; secrets are withheld by the names of their members. */
  readonly log: Logger;
  /** For the one line per call, whose members are fixed, so that nothing needs to be withheld. */
  readonly logCall: (line: CallLine) => void;
}

/** Structured lines on standard error; standard output is for what people and scripts read. */
export function createLogs(
  level: string,
  stream: DestinationStream = destination({ dest: 2, sync: false }),
): Logs {
  const paths = secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]);
  // Looking for secrets in a line costs several times what writing it does.
  const calls = pino({ level }, stream);
  return {
    log: pino({ level, redact: { paths } }, stream),
    logCall: (line) => calls.info(line, "call"),
  };
}
