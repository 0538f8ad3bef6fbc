import { describe, expect, test } from "@jest/globals";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import { readDatabaseUrl } from "../../src/store/postgres/url.ts";

const read = (url: string) => readConfig([], { IAM_DATABASE_URL: url }).databaseUrl;
const refusal = (mustBe: string) =>
  new ConfigError(`IAM_DATABASE_URL (--database-url) must be ${mustBe}`);

describe("the URL of a database", () => {
  test.each([
    "",
    "postgresql://db/iam",
    "postgres://iam:secret@db.example.com:5432/iam?sslmode=verify-full&sslrootcert=/etc/ca.pem",
    "postgres://iam@%2Frun%2Fpostgresql/iam",
    "postgres://db/iam?application_name=one&options=-c%20jit%3Doff",
  ])("is taken: %j", (url) => {
    expect(read(url)).toBe(url);
  });

  test.each([
    ...["secret", "mysql://secret/iam", "postgres:///secret", "postgres:secret"],
    ...["postgres://?host=secret", "postgres://secret@/iam"],
  ])("is refused without being repeated: %j", (url) => {
    const form = "a URL like postgres://user:password@host:5432/name";
    expect(() => read(url)).toThrow(refusal(form));
  });

  test.each([
    ...["sslmod=verify-full", "SSLMODE=verify-full", "ssl=true", "sslmode=require&sslcertt=a"],
    ...["host=secret", "sslmode=verify-full&sslmode=disable", "uselibpqcompat=false"],
  ])("is refused with what does nothing, or else than it seems: %s", (settings) => {
    const known = "sslmode, sslrootcert, sslcert, sslkey, application_name, options";
    const url = `postgres://db.example.com/iam?${settings}`;
    expect(() => read(url)).toThrow(
      refusal(`a URL with no parameters except ${known}, each at most once`),
    );
  });

  test.each(["prefer", "allow", "no-verify", "Require", "verify_full", ""])(
    "is refused with an sslmode that there is not, or that may go without TLS: %j",
    (mode) => {
      const modes = "disable, require, verify-ca, verify-full";
      expect(() => read(`postgres://db/iam?sslmode=${mode}`)).toThrow(
        refusal(`a URL whose sslmode is one of ${modes}`),
      );
    },
  );

  test("is refused where nothing is there to verify by", () => {
    expect(() => read("postgres://db/iam?sslmode=verify-ca")).toThrow(
      refusal("a URL with sslrootcert if sslmode is verify-ca"),
    );
  });

  test.each([
    ["postgres://%2Frun%2Fpostgresql/iam", "disable"],
    ["postgres://LOCALHOST/iam", "disable"],
    ["postgres://127.0.0.2/iam", "disable"],
    ["postgres://[::1]/iam", "disable"],
    ["postgres://localhost/iam?application_name=one", "disable"],
    ["postgres://localhost/iam?sslrootcert=/etc/ca.pem", "verify-full"],
    ["postgres://db/iam", "verify-full"],
    ["postgres://10.0.0.1/iam", "verify-full"],
    ["postgres://localhost.example.com/iam", "verify-full"],
    ["postgres://127.0.0.1.example.com/iam", "verify-full"],
    ["postgres://db/iam?sslmode=disable", "disable"],
    ["postgres://localhost/iam?sslmode=require", "require"],
  ])("has TLS, unless it leads to this machine or says otherwise: %s", (url, mode) => {
    const asRead = readDatabaseUrl(url);
    const { searchParams } = new URL("url" in asRead ? asRead.url : "");
    expect(searchParams.get("sslmode")).toBe(mode);
  });
});
