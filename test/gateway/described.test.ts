import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startServer, type TestServer } from "../harness/server.ts";

/** The documents that describe the service are there for everybody, and are kept by caches. */

const paths = ["/openapi.json", "/events.schema.json"];

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

test.each(paths)("%s is read without a token", async (path) => {
  const response = await fetch(server.url + path);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": expect.stringMatching(/^application\/json/),
    "content-encoding": "gzip",
    "cache-control": "public, max-age=300",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
  });
  expect(await response.json()).toMatchObject({});
});

test.each(paths)("%s is the same without gzip", async (path) => {
  const zipped = await fetch(server.url + path);
  const text = await zipped.text();
  for (const codings of ["identity", "gzip;q=0", "gzip; q=0.0, br"]) {
    const plain = await fetch(server.url + path, { headers: { "accept-encoding": codings } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("etag")).toBe(zipped.headers.get("etag"));
    expect((await plain.text()) === text).toBe(true);
  }
});

test.each(paths)("%s is not sent again to who has it", async (path) => {
  const first = await fetch(server.url + path);
  await first.text();
  const tag = first.headers.get("etag")!;
  const second = await fetch(server.url + path, {
    headers: { "if-none-match": `"other", ${tag}` },
  });
  expect(second.status).toBe(304);
  expect(await second.text()).toBe("");
  const other = await fetch(server.url + path, { headers: { "if-none-match": '"other"' } });
  expect(other.status).toBe(200);
  await other.text();
});

test("a document is read, and nothing else", async () => {
  const response = await fetch(`${server.url}/openapi.json`, { method: "POST" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET");
  await response.text();
});
