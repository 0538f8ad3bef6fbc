import { expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";

test.each([
  ["https://sms.example.com/send", "false", true],
  ["http://sms.example.com/send", "false", false],
  ["http://10.0.0.1/send", "false", false],
  ["http://127.0.0.1.example.com/send", "false", false],
  ["http://127.0.0.1:9000/send", "false", true],
  ["http://localhost/send", "false", true],
  ["http://[::1]/send", "false", true],
  ["http://sms.example.com/send", "true", true],
])("the webhook %s, with cleartext permitted (%s): %s", (url, permitted, accepted) => {
  const given = {
    IAM_SMS_URL: url,
    IAM_SMS_KEY: "k".repeat(32),
    IAM_CODES_IN_CLEARTEXT: permitted,
  };
  const problem = /^IAM_SMS_URL \(--sms-url\) must be https.*IAM_CODES_IN_CLEARTEXT/;
  if (accepted) expect(readConfig([], given).smsUrl).toBe(url);
  else expect(() => readConfig([], given)).toThrow(problem);
});
