import { EventEmitter, once } from "node:events";
import { IncomingMessage } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { FastifyReply } from "fastify";
import { defaultLimits } from "../../src/gateway/call/limits.ts";
import { createPace } from "../../src/gateway/call/pace.ts";
import { createSenderOf } from "../../src/gateway/call/sender.ts";
import { createUnread } from "../../src/gateway/call/unread.ts";
import { createFront, type Exchange } from "../../src/gateway/front.ts";
import { createPeers } from "../../src/port/peer.ts";
import { givenPolicy, pathTo } from "../cases/assets.ts";
import { png, pngChunk, pngHeader } from "../domain/image/parts.ts";
import type { World } from "../harness/cases.ts";
import { few } from "../harness/in-full.ts";
import { type Parties, startParties } from "./relying.ts";

/** What is no answer of a call counts by its bytes, too, until it is read. */

/** A place has 2,400 bytes: two answers of two places are all that there may be. */
const limits = { openCallsMax: 4, unreadBytesMax: 9_600 };

describe("unread pages and images: the bytes of answers", () => {
  const createOne = () => {
    const all = { ...defaultLimits, ...limits };
    const front = createFront(
      all,
      createSenderOf(createPeers([], []), { isOn: false }),
      createPace(all),
      createUnread(all),
    );
    return {
      async answer(exchange: Exchange, body?: unknown) {
        front.answer(exchange, body);
        await pause();
      },
    };
  };

  /** A request of HTTP/1.1 that was read, and its reply with the length that its head says. */
  async function exchangeOf(length?: number) {
    const reply = Object.assign(new EventEmitter(), { destroyed: false });
    const socket = new Socket();
    const raw = Object.assign(new IncomingMessage(socket), { complete: true });
    raw.push(null);
    await once(raw.resume(), "close");
    const state = {
      get isCut() {
        return socket.destroyed;
      },
      leave: () => reply.emit("close"),
    };
    const exchange = {
      request: { raw, headers: {} },
      reply: { raw: reply, getHeader: (): FastifyReply["statusCode"] | undefined => length },
    };
    return { state, reply, exchange: exchange as unknown as Exchange };
  }

  test.each([
    ["of a text", 4_800, () => "x".repeat(4_800), () => "x".repeat(4_801)],
    ["of a text in UTF-8", 4_800, () => "ä".repeat(2_400), () => `${"ä".repeat(2_400)}x`],
    ["of a buffer", 4_800, () => Buffer.alloc(4_800), () => Buffer.alloc(4_801)],
  ])(
    "%s are counted to the limit, and of one more the oldest goes",
    async (_, length, body, more) => {
      const front = createOne();
      const all = [await exchangeOf(), await exchangeOf(length), await exchangeOf()] as const;
      await front.answer(all[0].exchange, body());
      await front.answer(all[1].exchange);
      expect(all.map(({ state }) => state.isCut)).toEqual([false, false, false]);
      all[1].state.leave();
      await front.answer(all[2].exchange, more());
      expect(all.map(({ state }) => state.isCut)).toEqual([true, false, false]);
    },
  );

  test("are given back once, when the answer is closed", async () => {
    const front = createOne();
    const [first, second] = [await exchangeOf(4_800), await exchangeOf(4_800)];
    await front.answer(first.exchange);
    await front.answer(second.exchange);
    for (let times = 0; times < 3; times += 1) first.state.leave();
    const third = await exchangeOf(4_800);
    await front.answer(third.exchange);
    expect(second.state.isCut).toBe(false);
    await front.answer((await exchangeOf(1)).exchange);
    expect([second.state.isCut, third.state.isCut]).toEqual([true, false]);
  });

  test("do not count for a sender who has gone before", async () => {
    const front = createOne();
    const first = await exchangeOf(9_600);
    await front.answer(first.exchange);
    const gone = await exchangeOf(9_600);
    gone.reply.destroyed = true;
    await front.answer(gone.exchange);
    expect(first.state.isCut).toBe(false);
    await front.answer((await exchangeOf(1)).exchange);
    expect(first.state.isCut).toBe(true);
  });
});

describe("unread pages and images", () => {
  let parties: Parties;
  let session: ClientHttp2Session;
  const image = png(pngHeader(), pngChunk("IDAT", deflateSync(Buffer.alloc(3_900), { level: 0 })));

  beforeAll(async () => {
    parties = await startParties({ limits: { ...limits, stopGraceMs: 0 }, peers: toProxy });
    await givenPolicy({ server: parties.server, unique: "unread" } as World, image);
    session = connect(parties.server.url, { settings: { initialWindowSize: 0 } });
    session.on("error", () => {});
  });
  afterAll(async () => {
    session.destroy();
    await parties.close();
  });

  const toProxy = createPeers([["127.0.0.1", 32]]);
  const paths = {
    "an image": pathTo(image),
    "a page": `/ui/x?${"&".repeat(400)}`,
    "a page of the library": `/oauth/v2/authorize?client_id=${'"'.repeat(500)}`,
  };

  const ping = () => new Promise((resolve) => session.ping(resolve));

  /** Asks for an answer of two places, and takes none of it. */
  async function leaveUnread(path: string): Promise<ClientHttp2Stream> {
    const stream = session.request({
      ...{ ":path": path, accept: "text/html", "x-forwarded-for": "203.0.113.1" },
    });
    stream.on("error", () => {});
    const [head] = await once(stream, "response");
    const length = Number(head["content-length"]);
    expect(Math.ceil(length / 2_400)).toBe(2);
    return stream;
  }

  few().each(Object.entries(paths))("of %s: as many as there may be", async (_, path) => {
    const first = await leaveUnread(path);
    const second = await leaveUnread(path);
    expect([first.closed, second.closed]).toEqual([false, false]);
    const third = await leaveUnread(path);
    for (let turns = 0; turns < 50 && !first.closed; turns += 1) await ping();
    expect([first.closed, second.closed, third.closed]).toEqual([true, false, false]);
    // One that its sender breaks off leaves its places.
    third.close(constants.NGHTTP2_CANCEL);
    await once(third, "close");
    await ping();
    const fourth = await leaveUnread(path);
    await ping();
    expect([second.closed, fourth.closed]).toEqual([false, false]);
    for (const stream of [second, fourth]) stream.close();
    await Promise.all([second, fourth].map((stream) => once(stream, "close")));
  });
});
