import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import { bodyBytesMax, chunksMax, headerBytesMax, interimMax } from "../../src/fetch/request.ts";
import { createFetcher } from "./for-one.ts";
import { allowing, failureOf, type Listener, listen, ok, respond } from "./listener.ts";

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

const fetch = createFetcher({ allow: allowing("127.0.0.0/8"), http: true });
const interim = respond(103, ["link: </a>"]);
const pieces = (count: number) =>
  `${respond(200, ["transfer-encoding: chunked"])}${"1\r\na\r\n".repeat(count)}0\r\n\r\n`;

describe("what is taken", () => {
  test.each([
    ["a body with its length", ok("<a/>"), "<a/>"],
    ["no body", ok(""), ""],
    ["a body until the end", respond(200, [], "<a/>"), "<a/>"],
    [
      "a body in chunks",
      respond(200, ["transfer-encoding: chunked"], "2\r\n<a\r\n2\r\n/>\r\n0\r\n\r\n"),
      "<a/>",
    ],
    ["identity", ok("<a/>", "content-encoding: identity"), "<a/>"],
    ["more than the length says", respond(200, ["content-length: 4"], "<a/><b/>"), "<a/>"],
    ["interim answers, as many as may be", interim.repeat(interimMax) + ok("<a/>"), "<a/>"],
    ["pieces, as many as may be", pieces(chunksMax), "a".repeat(chunksMax)],
  ])("%s", async (_, answer, body) => {
    const server = await listening((socket) => socket.end(answer));
    expect(Buffer.from(await fetch(server.origin)).toString()).toBe(body);
  });

  test("a body of as many bytes as may be", async () => {
    const server = await listening((socket) => socket.end(ok("a".repeat(bodyBytesMax))));
    expect(await fetch(server.origin)).toHaveLength(bodyBytesMax);
  });
});

describe("what is refused", () => {
  const secret = "s3cret-body";
  const brokenOff = "closed the connection too early";
  test.each([
    [
      "404",
      respond(404, ["content-type: text/html"], secret),
      "with status 404 (text/html) instead",
    ],
    ["500", respond(500, [], secret), "with status 500 instead"],
    ["204", respond(204, []), "with status 204"],
    ["206", respond(206, ["content-range: bytes 0-3/9"], secret), "with status 206"],
    ["304", respond(304, []), "with status 304"],
    ["401", respond(401, ["www-authenticate: Basic"], secret), "with status 401"],
    ["gzip", ok(secret, "content-encoding: gzip"), "compressed body"],
    ["br after identity", ok(secret, "content-encoding: identity, br"), "compressed body"],
    [
      "gzip in transfer",
      respond(200, ["transfer-encoding: gzip, chunked"], "1\r\na\r\n0\r\n\r\n"),
      "compressed body",
    ],
    [
      "one byte too many",
      respond(200, [], "a".repeat(bodyBytesMax + 1)),
      "body larger than 1048576 bytes",
    ],
    ["one piece too many", pieces(chunksMax + 1), "too many pieces of a body"],
    ["one interim answer too many", interim.repeat(interimMax + 1), "too many interim answers"],
    ["a media type that is none", respond(404, ["content-type: <b>"]), "with status 404 instead"],
    ["less than the length says", respond(200, ["content-length: 99"], secret), brokenOff],
    [
      "chunks without an end",
      respond(200, ["transfer-encoding: chunked"], "2\r\n<a\r\n"),
      brokenOff,
    ],
    ["no answer", "", brokenOff],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-", brokenOff],
    [
      "another protocol",
      respond(101, ["connection: upgrade", "upgrade: websocket"], secret),
      brokenOff,
    ],
    ["no HTTP", `220 ${secret} ESMTP\r\n`, "invalid HTTP or too large"],
    ["two lengths", respond(200, ["content-length: 1", "content-length: 2"], "ab"), brokenOff],
    [
      "a huge header field",
      ok("", `x-a: ${"a".repeat(headerBytesMax)}`),
      "invalid HTTP or too large",
    ],
    [
      "too many header fields",
      ok("", ...Array<string>(headerBytesMax / 4).fill("x-a: bcd")),
      "invalid HTTP or too large",
    ],
  ])("%s", async (_, answer, problem) => {
    const server = await listening((socket) => socket.end(answer));
    const failure = await failureOf(fetch(server.origin));
    expect(failure.reason).toBe("ANSWER_UNUSABLE");
    expect(failure.message).toContain(problem);
    expect(failure.message).not.toMatch(new RegExp(`${secret}|${server.port}|127\\.0\\.0\\.1`));
    expect(server.connections()).toBe(1);
  });

  test("a gzip bomb is not even read", async () => {
    const bomb = gzipSync(Buffer.alloc(16 * bodyBytesMax));
    const server = await listening((socket) => {
      socket.write(respond(200, ["content-encoding: gzip", `content-length: ${bomb.length}`]));
      socket.end(bomb);
    });
    expect((await failureOf(fetch(server.origin))).message).toContain("compressed body");
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
    expect((await failureOf(fetch(server.origin))).message).toContain("body larger than");
    await closed.promise;
    expect(sent).toBeLessThan(pieces);
  });

  test("a port where nobody listens", async () => {
    const server = await listen();
    await server.close();
    const failure = await failureOf(fetch(server.origin));
    expect(failure.reason).toBe("NOT_REACHED");
    expect(failure.message).toBe(
      "The URL leads to a server that could not be reached (ECONNREFUSED).",
    );
  });
});
