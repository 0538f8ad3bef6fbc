import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { readResumeToken, writeResumeToken } from "../../src/api/resume-token.ts";
import { describeFew } from "../harness/in-full.ts";
import { givenProject, startServer, type TestServer } from "../harness/server.ts";
import { type WatchRequest, watchClients, watching } from "../harness/watches.ts";

/** What a token says of a log, and what a service does with that of another. */

let server: TestServer;
let other: TestServer;

beforeAll(async () => {
  const limits = { watchLimits: { silenceMs: 50 } };
  [server, other] = await Promise.all([startServer(limits), startServer(limits)]);
  await givenProject(server, server.admin.organization);
});

afterAll(async () => {
  await Promise.all([server.close(), other.close()]);
});

const link = Buffer.from("00112233445566778899aabbccddeeff", "hex");

test.each([0n, 1n, 2n ** 53n - 1n])("a token of position %s is read as written", (position) => {
  const token = writeResumeToken(position, link);
  expect(readResumeToken(token)).toEqual({ position, mark: "0011223344556677" });
});

test.each([
  ...["", "1", "1-", "-0011223344556677", "01-0011223344556677", "1-001122334455667"],
  ...["1-00112233445566778", "1-001122334455667G", "1-001122334455667A", " 1-0011223344556677"],
  "12345678901234567-0011223344556677",
])("%j is no token", (text) => {
  expect(readResumeToken(text)).toBeUndefined();
});

describeFew().each(watchClients)("a watch over %s", (client) => {
  const open = (request: WatchRequest, { url, admin }: TestServer = server) =>
    watching(client, url, admin.token, request);

  /** The first answer of a watch. */
  async function first(request: WatchRequest, at?: TestServer) {
    const watch = open(request, at);
    try {
      return await watch.next();
    } finally {
      await watch.leave();
    }
  }

  test("goes on from the token of an event, and of an answer without one", async () => {
    const { resumeToken } = await first({});
    expect(resumeToken).toMatch(/^1-[0-9a-f]{16}$/);
    expect(await first({ resumeToken })).toMatchObject({ processedSequence: 2n });

    const silent = await first({ resourceOwner: v7() });
    const head = await server.head();
    expect(silent.event).toBeUndefined();
    expect(readResumeToken(silent.resumeToken)?.position).toBe(head);
    const watch = open({ resumeToken: silent.resumeToken });
    await givenProject(server, server.admin.organization);
    expect(await watch.positions(1)).toEqual([head + 1n]);
    await watch.leave();
  });

  test("is refused where the log is another at that place, or ends before it", async () => {
    const refused = { code: 9, reason: "RESUME_TOKEN_OUTDATED", positions: [] };
    const { resumeToken, processedSequence } = await first({ sequence: 2n });
    expect(await first({ sequence: 2n }, other)).toMatchObject({ processedSequence });
    expect(await open({ resumeToken }, other).end()).toEqual(refused);

    const { mark = "" } = readResumeToken(resumeToken) ?? {};
    const beyond = `${(await server.head()) + 1_000n}-${mark}`;
    expect(await open({ resumeToken: beyond }).end()).toEqual(refused);
    const elsewhere = `${processedSequence - 1n}-${mark}`;
    expect(await open({ resumeToken: elsewhere }).end()).toEqual(refused);
  });

  test("begins behind the end of the log without a token to give", async () => {
    const sequence = (await server.head()) + 1_000n;
    const answer = await first({ sequence });
    expect(answer).toMatchObject({ processedSequence: sequence, resumeToken: "" });
  });

  test.each<[string, WatchRequest]>([
    ["no token", { resumeToken: "1-zz" }],
    ["a token of 101 characters", { resumeToken: "1".repeat(101) }],
    ["both a token and a position", { resumeToken: "1-0011223344556677", sequence: 1n }],
  ])("refuses %s", async (_, request) => {
    expect(await open(request).end()).toMatchObject({ code: 3, reason: "INVALID_FIELDS" });
  });
});
