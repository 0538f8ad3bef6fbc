import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { requestAt } from "../fuzz/requests.ts";
import {
  continuationFrame,
  dataFrame,
  errorCode,
  headersFrame,
  openFrames,
  pingFrame,
  resetFrame,
  settingsFrame,
} from "../gateway/frames.ts";
import { openCaller, send } from "../gateway/native/wire.ts";
import type { Attack } from "./attack.ts";
import { loginAttacks } from "./login-attacks.ts";
import { ask, gone, openSession, openSocket, stranger } from "./wire.ts";

const management = "/iam.management.v1.ManagementService";
const account = "/iam.account.v1.AccountService";
const grpc = { "content-type": "application/grpc" };
const json = { "content-type": "application/json" };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function framed(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A million empty messages in a list, and as many in each other's. */
const emptyMessages = gzipSync(Buffer.alloc(1024 * 1024 - 16, Buffer.from([0x1a, 0])));
const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024));

const bombs: Attack["run"] = async ({ port, fuzz }, { repeat, stop }) => {
  const session = openSession(port);
  await repeat(4, async () => {
    const packed = { ...grpc, "grpc-encoding": "gzip" };
    const known = { ...packed, ...bearer(fuzz.weak) };
    const listed = ask(session, `${management}/ListUsers`, known, framed(emptyMessages, 1));
    const unknown = ask(session, `${account}/FinishPasskey`, packed, framed(zeros, 1));
    for (const stream of [listed, unknown]) if (stream) await gone(stream.resume(), stop);
  });
  session.destroy();
};

/** What is no text where a text is meant, with lengths that it does not have. */
const structs: Attack["run"] = async ({ port, fuzz }, { repeat, stop }) => {
  const session = openSession(port);
  const huge = { length: 200_000_000 };
  const deep = `${'{"a":'.repeat(90)}{}${"}".repeat(90)}`;
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [n, huge])));
  const response = JSON.stringify({ attestationObject: huge, clientDataJSON: huge });
  const credentials = [`{"response":${response}}`, deep, wide];
  const { human: userId, codeId, code } = fuzz;
  const link = JSON.stringify({ userId, codeId, code }).slice(1, -1);
  await repeat(4, async () => {
    for (const credential of credentials) {
      const body = Buffer.from(`{${link},"credential":${credential}}`);
      const stream = ask(session, `${account}/FinishPasskey`, json, body);
      if (stream) await gone(stream.resume(), stop);
    }
  });
  session.destroy();
};

/** Milliseconds for which streams stay open: long enough that there are more than there may be. */
const streamsMs = 20_000;

/** Streams that stay open, each of another stranger, on many connections. */
function openStreams(
  path: string,
  count: { sessions: number; streams: number },
  body?: Buffer,
): Attack["run"] {
  return async ({ port }, { repeat, stop }) => {
    await repeat(count.sessions, async () => {
      const session = openSession(port);
      for (let nth = 0; nth < count.streams; nth += 1) {
        const stream = ask(session, path, grpc);
        if (body !== undefined) stream?.write(body);
        stream?.resume();
      }
      await gone(session, stop, streamsMs);
    });
  };
}

/** Large pages, and the whole log, for a peer that takes none of it. */
const unread: Attack["run"] = async (place, { repeat, stop }) => {
  const { port, tenant, organization, project } = place;
  const settings = { initialWindowSize: 0 };
  const { input: apps } = ManagementService.method.listApps;
  const { input: watch } = EventService.method.watchEvents;
  const listed = framed(toBinary(apps, create(apps, { projectId: project })));
  const watched = framed(toBinary(watch, create(watch, { resourceOwner: organization })));
  await repeat(20, async () => {
    const session = openSession(port, { settings });
    for (let nth = 0; nth < 20; nth += 1) {
      const known = { ...grpc, ...bearer(tenant) };
      ask(session, `${management}/ListApps`, known, listed);
      ask(session, "/iam.event.v1.EventService/WatchEvents", known, watched);
    }
    await gone(session, stop, 5_000);
  });
};

/** Watches by many owners of an organization, whose log has large events, and who take none. */
const unreadWatches: Attack["run"] = async (place, { repeat, stop }) => {
  const { port, owners, organization } = place;
  const { input } = EventService.method.watchEvents;
  const watched = framed(toBinary(input, create(input, { resourceOwner: organization })));
  let turn = 0;
  await repeat(20, async () => {
    const session = openSession(port, { settings: { initialWindowSize: 0 } });
    const known = { ...grpc, ...bearer(owners[turn % owners.length] ?? "") };
    turn += 1;
    for (let nth = 0; nth < 50; nth += 1) {
      ask(session, "/iam.event.v1.EventService/WatchEvents", known, watched);
    }
    await gone(session, stop, streamsMs);
  });
};

/** Requests in a row whose answers nobody reads. */
const unreadHttp1: Attack["run"] = async ({ port, tenant, project }, { repeat, stop }) => {
  const body = JSON.stringify({ projectId: project });
  const request = [
    `POST ${management}/ListApps HTTP/1.1`,
    "host: localhost",
    "content-type: application/json",
    `authorization: Bearer ${tenant}`,
    `content-length: ${body.length}\r\n\r\n${body}`,
  ].join("\r\n");
  await repeat(20, async () => {
    const socket = openSocket(port);
    socket.write(request.repeat(50));
    await gone(socket, stop, 5_000);
  });
};

/** Requests that go on by one byte at a time, or not at all. */
const halves: Attack["run"] = async ({ port }, { repeat, stop }) => {
  const head = `POST ${account}/VerifyPhone HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: `;
  await repeat(300, async () => {
    const socket = openSocket(port);
    const fields = "content-type: application/json\r\ncontent-length: 16000\r\n\r\n";
    socket.write(Math.random() < 0.5 ? head : `${head}${stranger()}\r\n${fields}`);
    const drip = setInterval(() => socket.write("a"), 500);
    await gone(socket, stop, 5_000);
    clearInterval(drip);
  });
};

/** More connections than there may be, of which some say that they speak HTTP/2. */
const connections: Attack["run"] = async ({ port }, { repeat, stop }) => {
  await repeat(11_000, async () => {
    const socket = openSocket(port);
    socket.once("connect", () => {
      if (Math.random() < 0.5) socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    });
    await gone(socket, stop, 30_000);
  });
};

/** Frames that cost more than they are: of one byte, of none, reset, without an end. */
const frames: Attack["run"] = async ({ port }, { repeat }) => {
  const streams = Array.from({ length: 40 }, (_, index) => 1 + 2 * index);
  const call = (stream: number) =>
    headersFrame(stream, `${account}/VerifyPhone`, { end: false, ...json });
  const bytes = Array<Buffer>(400).fill(dataFrame(1, Buffer.from("a"), { end: false }));
  const kinds: readonly (readonly Buffer[])[] = [
    [call(1), ...bytes],
    [call(1), ...Array<Buffer>(400).fill(dataFrame(1, Buffer.alloc(0), { end: false }))],
    streams.flatMap((stream) => [call(stream), resetFrame(stream, errorCode.cancel)]),
    Array<Buffer>(1_000).fill(pingFrame()),
    Array<Buffer>(1_000).fill(settingsFrame()),
    [
      headersFrame(1, "/", { end: false, endsBlock: false }),
      ...Array<Buffer>(50).fill(continuationFrame(1, Buffer.alloc(1_000))),
    ],
  ];
  await repeat(12, async () => {
    const connection = await openFrames(port);
    for (const kind of kinds) connection.write(...kind);
    const late = setTimeout(() => connection.destroy(), 1_000);
    await connection.ended;
    clearTimeout(late);
  });
};

const wrongTokens: Attack["run"] = async ({ port, fuzz }, { repeat, stop }) => {
  const session = openSession(port);
  await repeat(16, async () => {
    const token = fuzz.owner.slice(0, -4) + Math.random().toString(36).slice(2, 6);
    const stream = ask(
      session,
      `${management}/ListUsers`,
      { ...json, ...bearer(token) },
      Buffer.from("{}"),
    );
    if (stream) await gone(stream.resume(), stop);
  });
  session.destroy();
};

/** Passwords, of which each is hashed. */
const passwords: Attack["run"] = async ({ port, tenant }, { repeat, stop }) => {
  const session = openSession(port);
  await repeat(8, async () => {
    const person = {
      userName: `person ${Math.random()}`,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: "ada@example.com", isEmailVerified: true },
      password: `correct horse ${Math.random()}`,
    };
    const body = Buffer.from(JSON.stringify(person));
    const stream = ask(
      session,
      `${management}/ImportHumanUser`,
      { ...json, ...bearer(tenant) },
      body,
    );
    if (stream) await gone(stream.resume(), stop);
  });
  session.destroy();
};

/** What no client would send, by those who may do little. */
const fuzzed: Attack["run"] = async ({ port, fuzz }, { repeat }) => {
  const place = { ...fuzz, owner: fuzz.weak };
  const caller = openCaller({ port, url: `http://127.0.0.1:${port}` });
  let serial = Math.floor(Math.random() * 2 ** 20);
  await repeat(1, async () => {
    serial += 1;
    const request = requestAt(place, { seed: 1, serial, about: "" });
    if ("wire" in request) await send(caller, request.wire);
  });
  caller.end();
};

const emptyFrame = Buffer.alloc(5);
/** Asks for the largest file with all that it imports: `file_containing_symbol`, 4. */
const symbol = Buffer.from(management.slice(1));
const wholeFile = framed(Buffer.concat([Buffer.from([0x22, symbol.length]), symbol]));

const reflectionPath = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const many = { sessions: 100, streams: 50 };

/** All of them, by what they are called. */
export const attacks: { readonly [name: string]: Attack } = {
  bombs: { perSecond: 20, run: bombs },
  structs: { perSecond: 50, run: structs },
  "health watches": {
    perSecond: 2,
    run: openStreams("/grpc.health.v1.Health/Watch", many, emptyFrame),
  },
  "half-sent calls": { perSecond: 2, run: openStreams(`${account}/VerifyPhone`, many) },
  reflection: { perSecond: 2, run: openStreams(reflectionPath, many) },
  "asked reflection": { perSecond: 2, run: openStreams(reflectionPath, many, wholeFile) },
  unread: { perSecond: 1, run: unread },
  "unread watches": { perSecond: 2, run: unreadWatches },
  unreadHttp1: { perSecond: 1, run: unreadHttp1 },
  halves: { perSecond: 50, run: halves },
  connections: { perSecond: 300, run: connections },
  frames: { perSecond: 5, run: frames },
  wrongTokens: { perSecond: 100, run: wrongTokens },
  passwords: { perSecond: 20, run: passwords },
  fuzzed: { perSecond: 50, run: fuzzed },
  ...loginAttacks,
};
