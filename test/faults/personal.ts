import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const file = "api/user/personal-data.ts";

/** Mistakes of reading what is kept of a person. */
export const personalFaults: readonly Fault[] = [
  [
    "personal data of another organization read",
    at(
      file,
      "if (organization !== callOf(context).organization)",
      "if (organization === undefined)",
    ),
  ],
  [
    "secrets in personal data",
    at(file, "maskDeep(JSON.parse(state), secrets)", "JSON.parse(state)"),
  ],
  [
    "the sealed secret of an app in personal data",
    at("domain/user/state/otp.ts", '["otpSecret", "secret"]', '["secret"]'),
  ],
  [
    "one download more",
    at("api/count.ts", "(uses[i] ?? 0) > usesMax", "(uses[i] ?? 0) > usesMax + 1"),
  ],
  ["pages without a bound", at(file, '["pages", "downloads"] : ["pages"]', '["downloads"] : []')],
  [
    "each page a download",
    at(file, `isFirst ? ["pages", "downloads"] : ["pages"]`, '["pages", "downloads"]'),
  ],
  ["page of another user", at(file, "id === userId && ", "")],
  [
    "event at the end of a page lost",
    at(file, "return { events, next };", "return { events, next: event.sequence };"),
  ],
  ["page past its bound", at(file, "if (bytes > pageBytes)", "if (bytes > pageBytes + 8_192)")],
  [
    "messages of others in personal data",
    ["message.ts", "WHERE events.stream = @stream", "WHERE events.stream <> @stream"],
  ],
  [
    "messages that wait left out",
    at(
      file,
      "messages: await showMessages(",
      "messages: (true as boolean) ? [] : await showMessages(",
    ),
  ],
  [
    "address of a code that is superseded",
    at(file, "now())?.to ?? null", "now())?.to ?? state?.human?.email ?? null"),
  ],
  [
    "one message more",
    at(
      file,
      "const { messages: limit } = personalDataLimits;",
      "const limit = personalDataLimits.messages + 1;",
    ),
  ],
  [
    "answers kept for a shorter time than said",
    at(file, "newestMs + answerLimits.keptMs", "newestMs + answerLimits.secretMs"),
  ],
  [
    "known browsers not counted",
    at(file, "login?.browsers.length ?? 0", "login?.sessions.length ?? 0"),
  ],
  [
    "answers of others counted",
    [
      "answers.ts",
      "SELECT count(*) FROM answers WHERE caller = ?",
      "SELECT count(*) FROM answers WHERE caller >= ?",
    ],
  ],
  [
    "metadata without its events",
    at(file, "[...kept.metadata, ...kept.grants]", "[...kept.grants]"),
  ],
];
