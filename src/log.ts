import { destination, type Logger, pino } from "pino";

/** Members whose values never belong in a log, whoever passes them. */
const secretMembers = [
  "authorization",
  "clientSecret",
  "clientSecretHash",
  "password",
  "token",
  "tokenHash",
];

/** Structured lines on standard error; standard output is for what people and scripts read. */
export function createLog(level: string): Logger {
  const paths = secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]);
  return pino({ level, redact: { paths } }, destination({ dest: 2, sync: false }));
}
