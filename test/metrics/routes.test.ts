import { expect, test } from "@jest/globals";
import { createMeasures } from "../../src/metrics/measures.ts";
import { textOf } from "../../src/metrics/text.ts";

test("requests of strangers leave each route of the provider a place", async () => {
  const measures = createMeasures({
    ...{ version: "1.2.3", backupMs: async () => undefined },
    ...{ elapsedMs: () => 0, now: () => 0 },
  });
  const request = (verb: string, path: string, status: number) =>
    measures.request({ verb, path, status, durationMs: 1, requestId: "r" } as never);
  const parts = Array.from({ length: 40 }, (_, i) => `/account/part${i}`);
  for (const path of parts) for (const status of [200, 303, 400]) request("HEAD", path, status);
  for (const path of parts) for (const status of [200, 303, 400]) request("POST", path, status);
  request("POST", "/oauth/v2/token", 200);
  const text = textOf(await measures.read());
  measures.close();
  const count = "http_server_request_duration_seconds_count";
  const of = (verb: string, route: string, status: string) =>
    `${count}{http_request_method="${verb}",http_route="${route}",` +
    `http_response_status_code="${status}"}`;
  expect(text).toContain(`${of("POST", "/oauth/v2/token", "200")} 1\n`);
  expect(text).toContain(`${of("GET", "/account/:part", "303")} 40\n`);
});
