import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createFetcher, defaultFetchLimits, type FetchLimits } from "../../src/fetch/fetcher.ts";
import { allowing, failureOf, type Listener, listen, ok, reasonOf, respond } from "./listener.ts";

/** What servers answer, whether they can do no better or mean harm: nothing hangs or grows. */

const listeners: Listener[] = [];

async function listening(answer: (socket: Socket, head: string) => void): Promise<Listener> {
  const listener = await listen(answer);
  listeners.push(listener);
  return listener;
}

// Closing waits until the fetcher has closed its connections, so it proves that none is left.
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

function fetcher(limits: Partial<FetchLimits> = {}) {
  return createFetcher({ allow: allowing("127.0.0.0/8"), http: true, limits });
}

const { bodyBytesMax, headerBytesMax } = defaultFetchLimits;

describe("what is taken", () => {
  test.each([
    ["a body with its length", ok("<a/>"), "<a/>", ""],
    ["no body", ok(""), "", ""],
    ["a body until the end", respond(200, [], "<a/>"), "<a/>", ""],
    [
      "a body in chunks",
      respond(200, ["transfer-encoding: chunked"], "2\r\n<a\r\n2\r\n/>\r\n0\r\n\r\n"),
      "<a/>",
      "",
    ],
    ["identity", ok("<a/>", "content-encoding: identity"), "<a/>", ""],
    ["more than the length says", respond(200, ["content-length: 4"], "<a/><b/>"), "<a/>", ""],
    ["a media type", ok("", "content-type: text/XML ; charset=utf-8"), "", "text/xml"],
    ["no media type", ok("", "content-type: <script>alert(1)</script>"), "", ""],
    ["interim answers", respond(103, ["link: </a>"]) + respond(100, []) + ok("<a/>"), "<a/>", ""],
  ])("%s", async (_, answer, body, contentType) => {
    const server = await listening((socket) => socket.end(answer));
    const fetched = await fetcher()(server.origin);
    expect(Buffer.from(fetched.body).toString()).toBe(body);
    expect(fetched.contentType).toBe(contentType);
  });

  test("a body of as many bytes as may be", async () => {
    const server = await listening((socket) => socket.end(ok("a".repeat(bodyBytesMax))));
    expect((await fetcher()(server.origin)).body).toHaveLength(bodyBytesMax);
  });
});

describe("what is refused", () => {
  const secret = "s3cret-body";
  test.each([
    ["404", respond(404, ["content-type: text/html"], secret), "STATUS"],
    ["500", respond(500, [], secret), "STATUS"],
    ["204", respond(204, []), "STATUS"],
    ["206", respond(206, ["content-range: bytes 0-3/9"], secret), "STATUS"],
    ["304", respond(304, []), "STATUS"],
    ["401", respond(401, ["www-authenticate: Basic"], secret), "STATUS"],
    ["gzip", ok(secret, "content-encoding: gzip"), "ENCODING_NOT_ALLOWED"],
    ["br after identity", ok(secret, "content-encoding: identity, br"), "ENCODING_NOT_ALLOWED"],
    [
      "gzip in transfer",
      respond(200, ["transfer-encoding: gzip, chunked"], "1\r\na\r\n0\r\n\r\n"),
      "ENCODING_NOT_ALLOWED",
    ],
    [
      "a length of one byte too many",
      respond(200, [`content-length: ${bodyBytesMax + 1}`]),
      "BODY_TOO_LARGE",
    ],
    ["one byte too many", respond(200, [], "a".repeat(bodyBytesMax + 1)), "BODY_TOO_LARGE"],
    [
      "less than the length says",
      respond(200, ["content-length: 99"], secret),
      "CONNECTION_FAILED",
    ],
    [
      "chunks without an end",
      respond(200, ["transfer-encoding: chunked"], "2\r\n<a\r\n"),
      "CONNECTION_FAILED",
    ],
    ["no answer", "", "CONNECTION_FAILED"],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-", "CONNECTION_FAILED"],
    [
      "another protocol",
      respond(101, ["connection: upgrade", "upgrade: websocket"], secret),
      "CONNECTION_FAILED",
    ],
    ["no HTTP", `220 ${secret} ESMTP\r\n`, "RESPONSE_INVALID"],
    ["two lengths", respond(200, ["content-length: 1", "content-length: 2"]), "RESPONSE_INVALID"],
    ["a huge header field", ok("", `x-a: ${"a".repeat(headerBytesMax)}`), "RESPONSE_INVALID"],
    [
      "too many header fields",
      ok("", ...Array<string>(headerBytesMax / 4).fill("x-a: bcd")),
      "RESPONSE_INVALID",
    ],
  ])("%s", async (_, answer, reason) => {
    const server = await listening((socket) => socket.end(answer));
    const failure = await failureOf(fetcher()(server.origin));
    expect(failure.reason).toBe(reason);
    expect(failure.message).not.toMatch(new RegExp(`${secret}|${server.port}|127\\.0\\.0\\.1`));
    expect(server.connections()).toBe(1);
  });

  test("a status is named with the media type", async () => {
    const server = await listening((socket) =>
      socket.end(respond(404, ["content-type: text/html; charset=utf-8"], "<html>")),
    );
    const failure = await failureOf(fetcher()(server.origin));
    expect(failure.message).toBe(
      "The URL was answered with status 404 (text/html) instead of 200.",
    );
  });

  test("a gzip bomb is not even read", async () => {
    const bomb = gzipSync(Buffer.alloc(16 * bodyBytesMax));
    const server = await listening((socket) => {
      socket.write(respond(200, ["content-encoding: gzip", `content-length: ${bomb.length}`]));
      socket.end(bomb);
    });
    expect(await reasonOf(fetcher()(server.origin))).toBe("ENCODING_NOT_ALLOWED");
  });

  test.each([
    ["that says so", ["content-length: 104857600"]],
    ["that does not say so", []],
    ["that says it is small, in chunks", ["transfer-encoding: chunked"]],
  ])("a body of 100 MB %s is cut off", async (_, headers) => {
    const piece = Buffer.from(`10000\r\n${"a".repeat(0x10000)}\r\n`);
    const pieces = 1_600;
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    const server = await listening((socket) => {
      socket.write(respond(200, headers));
      const more = () => {
        while (sent < pieces && socket.writable) {
          sent += 1;
          if (!socket.write(piece)) return;
        }
      };
      socket.on("drain", more);
      socket.on("close", () => closed.resolve());
      more();
    });
    expect(await reasonOf(fetcher()(server.origin))).toBe("BODY_TOO_LARGE");
    await closed.promise;
    expect(sent).toBeLessThan(pieces);
  });

  test("a port where nobody listens", async () => {
    const server = await listen();
    await server.close();
    const failure = await failureOf(fetcher()(server.origin));
    expect(failure.reason).toBe("CONNECTION_FAILED");
    expect(failure.message).toBe(
      "The URL leads to a server that could not be reached (ECONNREFUSED).",
    );
  });
});
