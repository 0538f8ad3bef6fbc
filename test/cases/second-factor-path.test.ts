import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startServer, type TestServer } from "../harness/server.ts";
import { givenLogin } from "./policies.ts";

// Paths name values of enums: no client of the tables writes any but names.

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Removes a second factor by what stands in the path; answers status and body. */
async function remove(type: string) {
  const organization = await givenLogin(server);
  const path = `/management/v1/policies/login/second_factors/${type}`;
  const response = await fetch(server.url + path, {
    method: "DELETE",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "x-service-orgid": organization,
    },
  });
  return [response.status, await response.text()] as const;
}

test.each(["SECOND_FACTOR_TYPE_OTP", "1"])("%s is a value", async (type) => {
  expect(await remove(type)).toEqual([200, expect.stringContaining('"details"')]);
});

test.each(["2", "SECOND_FACTOR_TYPE_U2F"])("%s is another one", async (type) => {
  expect(await remove(type)).toEqual([
    400,
    expect.stringContaining("must be SECOND_FACTOR_TYPE_OTP"),
  ]);
});

test.each(["OTP", "second_factor_type_otp", "9", "1.0", "01", "%20"])(
  "%s is none",
  async (type) => {
    const [status, body] = await remove(type);
    expect([status, body]).toEqual([
      400,
      expect.stringContaining("must be one of SECOND_FACTOR_TYPE_UNSPECIFIED, "),
    ]);
  },
);
