import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import type { TestServer } from "../harness/server.ts";
import { documentOf } from "./saml-apps.ts";
import {
  addByURL,
  listenForSAML,
  type SAMLListener,
  samlHost,
  startFetching,
} from "./saml-listener.ts";

// GHSA-29jh-8cfq-rr8x, CVE-2026-1180, CVE-2026-4366, CVE-2024-49753: what is not fetched, and what
// is told about it.

let listener: SAMLListener;
/** May fetch from this machine. */
let server: TestServer;
/** May fetch from public addresses only, as by default. */
let guarded: TestServer;

beforeAll(async () => {
  listener = await listenForSAML();
  server = await startFetching(listener, "127.0.0.0/8");
  guarded = await startFetching(listener, "");
});

afterAll(async () => {
  await server.close();
  await guarded.close();
  await listener.close();
});

beforeEach(() => {
  listener.forget();
});

describe("what cannot be fetched is refused with the reason, and without what came", () => {
  const own = (rest: string) => () => `https://${samlHost}:${listener.port}/${rest}`;
  const rows: readonly (readonly [string, () => string, string | RegExp])[] = [
    [
      "another status",
      () => listener.serve(v7(), (response) => response.writeHead(500).end("secret")),
      "The URL was answered with status 500 instead of 200.",
    ],
    [
      "another status with a type",
      () =>
        listener.serve(v7(), (response) =>
          response.writeHead(404, { "content-type": "text/html; a=secret" }).end("secret"),
        ),
      "The URL was answered with status 404 (text/html) instead of 200.",
    ],
    [
      "a redirect to another scheme",
      () =>
        listener.serve(v7(), (response) =>
          response.writeHead(302, { location: "http://secret.example.com" }).end("secret"),
        ),
      "A redirect of the URL must have the scheme https.",
    ],
    [
      "a redirect to itself",
      () =>
        listener.serve(v7(), (response, path) =>
          response.writeHead(301, { location: `${path}?secret` }).end("secret"),
        ),
      "The URL leads to more than 3 redirects.",
    ],
    [
      "too many bytes",
      () => listener.serve(v7(), (response) => response.end("s".repeat(1024 * 1024 + 1))),
      /larger than 1048576 bytes/,
    ],
    [
      "compression",
      () =>
        listener.serve(v7(), (response) =>
          response.writeHead(200, { "content-encoding": "gzip" }).end("secret"),
        ),
      /compressed|encoding/,
    ],
    [
      "half a document",
      () =>
        listener.serve(v7(), (response) =>
          response
            .writeHead(200, { "content-length": "99" })
            .end("secret", () => response.socket?.destroy()),
        ),
      /^The URL /,
    ],
    ["another name than the certificate's", () => own("")().replace("sp.", "other."), /TLS/],
    ["a name that nobody knows", () => "https://nobody.example.com/secret", /no allowed address/],
  ];

  test.each(rows)("%s", async (_what, url, message) => {
    const { answer, events } = await addByURL(server, { url: url() });
    expect(answer).toMatchObject({ code: 9, reason: "METADATA_NOT_FETCHED", httpStatus: 409 });
    const text = answer.ok ? "" : answer.message;
    expect(text).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
    expect(text).toMatch(/\.$/);
    expect([...server.logged(), text].filter((line) => line.includes("secret"))).toEqual([]);
    expect(events).toEqual([]);
  });

  test.each([
    "",
    " ",
    "sp.example.com/metadata",
    "/metadata",
    "https://",
    "https://user:secret@sp.example.com/",
    "https://user@sp.example.com/",
    "https://sp.example.com:65536/",
    "http://sp.example.com/secret",
    "javascript:secret",
    "file:///etc/secret",
    " https://sp.example.com/",
    "https:sp.example.com",
    "ht\ntps://sp.example.com/",
    "https:\\\\sp.example.com/",
    "https://sp.example.com\\@other.example.com/",
    "https://sp.exam\u200bple.com/",
    "https://./",
    `https://sp.example.com/${"a".repeat(2_049 - 23)}`,
  ])("the text %j, which is no URL to fetch, as a wrong field", async (url) => {
    const { answer, events } = await addByURL(server, { url });
    expect(answer).toMatchObject({
      ...{ code: 3, reason: "INVALID_FIELDS", httpStatus: 400 },
      fields: ["metadataUrl"],
    });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(events).toEqual([]);
  });

  test("a URL of 2,048 characters is still asked for", async () => {
    const start = `https://${samlHost}:${listener.port}/`;
    const url = start + "a".repeat(2_048 - start.length);
    const { answer } = await addByURL(server, { url });
    expect(answer).toMatchObject({ reason: "METADATA_NOT_FETCHED" });
    expect(listener.requests()).toHaveLength(1);
  });
});

describe("by default, this machine and its network are never contacted", () => {
  test.each([
    ["a name", samlHost],
    ["the name of this machine", "localhost"],
    ["an address", "127.0.0.1"],
    ["an address as a number", "2130706433"],
    ["an address that wraps it", "[::ffff:127.0.0.1]"],
    ["an address that means any", "0.0.0.0"],
    ["a private address", "10.0.0.1"],
    ["the address of cloud metadata", "169.254.169.254"],
  ])("by %s", async (_what, host) => {
    const entityId = v7();
    listener.serve(entityId, (response) => response.end(documentOf(entityId)));
    const url = `https://${host}:${listener.port}/${entityId}`;
    const { answer, events } = await addByURL(guarded, { url });
    expect(answer).toMatchObject({ code: 9, reason: "METADATA_NOT_FETCHED", httpStatus: 409 });
    expect(answer).toMatchObject({ message: expect.stringContaining("IAM_FETCH_ALLOW") });
    expect(events).toEqual([]);
    expect([listener.connections(), listener.requests()]).toEqual([0, []]);
  });
});
