import { expect, test } from "@jest/globals";
import { differingSettings } from "../../src/config/config.ts";

test("the settings that differ from their defaults are told, of secret ones only which", () => {
  const flags = ["--port", "9090", "--host=127.0.0.1", "--sms-key", "planted"];
  const environment = {
    ...{ IAM_PORT: "7070", IAM_LOG_LEVEL: "info", IAM_PROCESSES: "2", PATH: "planted" },
    ...{ IAM_DATABASE_URL: "postgres://u:planted@host/iam", IAM_ALIAS: undefined },
  };
  expect(differingSettings(flags, environment)).toEqual({
    ...{ IAM_PORT: "9090", IAM_PROCESSES: "2", IAM_DATABASE_URL: "…", IAM_SMS_KEY: "…" },
  });
  expect(differingSettings([], {})).toEqual({});
});
