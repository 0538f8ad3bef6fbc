import { expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { logsTo } from "../../src/start/logger.ts";
import { serve } from "../../src/start/serve.ts";
import { inDirectory } from "../harness/process.ts";

/** The lines about the outbox of a service that has just started. */
function said(...flags: readonly string[]) {
  return inDirectory(async (directory) => {
    const lines: string[] = [];
    const logs = logsTo({ write: (line: string) => void lines.push(line) }, "info");
    const config = readConfig([`--data-dir=${directory}`, "--port=0", ...flags], {});
    await (await serve(config, logs)).close();
    const about = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /are written to files/.test(msg));
    return about.map(({ level, msg }) => ({ level, msg }));
  });
}

const msg =
  "mails or SMS are written to files on this machine: set IAM_SMTP_URL and IAM_SMS_URL to " +
  "send them";
const smtp = "--smtp-url=smtp://127.0.0.1:1";
const sms = ["--sms-url=http://127.0.0.1:1", `--sms-key=${"k".repeat(32)}`];

test.each([
  ["on this machine", [], []],
  ["for others", ["--host=0.0.0.0"], [{ level: 40, msg }]],
  ["for others, where only mails are sent", ["--host=0.0.0.0", smtp], [{ level: 40, msg }]],
  ["for others, where all is sent", ["--host=0.0.0.0", smtp, ...sms], []],
])("a start that serves %s says where messages lie", async (_, flags, expected) => {
  expect(await said(...flags)).toEqual(expected);
});
