import { describe, expect, test } from "@jest/globals";
import { ConfigError, readConfig } from "../../src/start/config.ts";

const read = (url: string) => readConfig([], { IAM_DATABASE_URL: url }).databaseUrl;

describe("the URL of a database", () => {
  test.each([
    "",
    "postgresql://db/iam",
    "postgres://iam:secret@db.example.com:5432/iam?sslmode=verify-full&sslrootcert=/etc/ca.pem",
    "postgres://iam@%2Frun%2Fpostgresql/iam",
  ])("is taken: %j", (url) => {
    expect(read(url)).toBe(url);
  });

  test.each(["secret", "mysql://secret/iam", "postgres:///secret", "postgres:secret"])(
    "is refused without being repeated: %j",
    (url) => {
      const refusal =
        "IAM_DATABASE_URL (--database-url) must be a URL such as " +
        "postgres://user:password@host:5432/name";
      expect(() => read(url)).toThrow(new ConfigError(refusal));
    },
  );
});
