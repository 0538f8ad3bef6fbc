import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { FetchLimits } from "../../src/fetch/fetcher.ts";
import { createFetcher } from "./for-one.ts";
import {
  allowing,
  failureOf,
  type Listener,
  listen,
  ok,
  reasonOf,
  redirect,
  respond,
} from "./listener.ts";

/** How long and how many: no server, caller or name server keeps a fetch or a connection alive. */

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

describe("a connection that the server would keep", () => {
  test.each([
    ["answer", ok("")],
    ["refusal", respond(404, [], "and more")],
    ["redirect", respond(302, ["location: ftp://sp.example.com/"], "and more")],
  ])("is closed after the %s", async (_, answer) => {
    const closed = Promise.withResolvers<void>();
    const server = await listening((socket) => {
      socket.on("close", () => closed.resolve());
      socket.write(answer);
    });
    await Promise.allSettled([fetcher()(server.origin)]);
    await closed.promise;
    expect(server.connections()).toBe(1);
  });
});

describe("what takes too long", () => {
  const never = () => {};
  const drip =
    (start: string, drop = "a") =>
    (socket: Socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drop), 5);
      socket.on("close", () => clearInterval(timer));
    };
  test.each([
    ["a server that is silent", never],
    ["header fields byte by byte", drip("HTTP/1.1 200 OK\r\nx-a: ")],
    ["a body byte by byte", drip(respond(200, []))],
    [
      "a body that stops",
      (socket: Socket) => socket.write(respond(200, ["content-length: 9"], "a")),
    ],
  ])("%s", async (_, answer) => {
    const server = await listening(answer);
    const failure = await failureOf(fetcher({ timeoutMs: 150 })(server.origin));
    expect(failure.reason).toBe("GIVEN_UP");
    expect(failure.message).toBe("The URL was not answered completely within 150 ms.");
    expect(server.connections()).toBe(1);
  });

  test("a server that says nothing to the greeting of TLS", async () => {
    const server = await listening(never);
    const url = server.origin.replace("http:", "https:");
    expect(await reasonOf(fetcher({ timeoutMs: 150 })(url))).toBe("GIVEN_UP");
    expect(server.connections()).toBe(1);
  });

  test("redirects share the time of the first request", async () => {
    let timeLeft = 2;
    const server = await listening((socket) => {
      timeLeft -= 1;
      if (timeLeft > 0) socket.end(redirect("/"));
    });
    expect(await reasonOf(fetcher({ timeoutMs: 150 })(server.origin))).toBe("GIVEN_UP");
    expect(server.connections()).toBe(2);
  });

  test("a name server that never answers", async () => {
    const resolve = () => new Promise<never>(never);
    const fetch = createFetcher({ allow: [], resolve, limits: { timeoutMs: 50 } });
    expect(await reasonOf(fetch("https://sp.example.com/"))).toBe("GIVEN_UP");
  });

  test("a name server that answers when the time is over leads to no connection", async () => {
    const server = await listening(never);
    const answered = Promise.withResolvers<readonly string[]>();
    const fetch = createFetcher({
      allow: allowing("127.0.0.0/8"),
      http: true,
      resolve: () => answered.promise,
      limits: { timeoutMs: 50 },
    });
    expect(await reasonOf(fetch(`http://sp.example.com:${server.port}/`))).toBe("GIVEN_UP");
    answered.resolve(["127.0.0.1"]);
    // A later request is answered after whatever an earlier one would have done.
    expect(await reasonOf(fetcher({ timeoutMs: 50 })(server.origin))).toBe("GIVEN_UP");
    expect(server.connections()).toBe(1);
  });
});

describe("giving up", () => {
  test("before the start nothing is sent", async () => {
    const server = await listening((socket) => socket.end(ok("")));
    const failure = await failureOf(fetcher()(server.origin, { signal: AbortSignal.abort() }));
    expect([failure.reason, failure.message]).toEqual(["GIVEN_UP", "The fetch was cancelled."]);
    expect(server.connections()).toBe(0);
  });

  test.each([
    ["before the answer", ""],
    ["within the head", "HTTP/1.1 200 OK\r\n"],
    ["within the body", respond(200, ["content-length: 9"], "a")],
  ])("%s the connection is closed", async (_, start) => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    const server = await listening((socket) => {
      socket.on("close", () => closed.resolve());
      socket.write(start, () => controller.abort());
    });
    const reason = await reasonOf(fetcher()(server.origin, { signal: controller.signal }));
    expect(reason).toBe("GIVEN_UP");
    await closed.promise;
  });
});

describe("how many at once", () => {
  test("others wait in their order, too many are refused, a gone one frees its place", async () => {
    const arrived: string[] = [];
    const server = await listening((socket, head) => {
      arrived.push(/GET \/(\w*)/.exec(head)?.[1] ?? "");
      open.promise.then(() => socket.end(ok("done")));
    });
    const open = Promise.withResolvers<void>();
    const fetch = fetcher({ concurrentMax: 1, waitingMax: 2 });
    const giveUp = new AbortController();
    const first = fetch(`${server.origin}/first`);
    const second = reasonOf(fetch(`${server.origin}/second`, { signal: giveUp.signal }));
    const third = fetch(`${server.origin}/third`);
    expect(await reasonOf(fetch(`${server.origin}/fourth`))).toBe("GIVEN_UP");
    giveUp.abort();
    expect(await second).toBe("GIVEN_UP");
    const fifth = fetch(`${server.origin}/fifth`);
    expect(await reasonOf(fetch(`${server.origin}/sixth`))).toBe("GIVEN_UP");

    open.resolve();
    const bodies = await Promise.all([first, third, fifth]);
    expect(bodies.map((body) => Buffer.from(body).toString())).toEqual(Array(3).fill("done"));
    expect(arrived).toEqual(["first", "third", "fifth"]);
  });

  test.each([
    ["at once, and those who wait are counted apart", { shareMax: 1, shareWaitingMax: 1 }],
    ["at once, none of whom may wait", { shareMax: 2, shareWaitingMax: 0 }],
  ])("an organization has its share %s", async (_, limits) => {
    const open = Promise.withResolvers<void>();
    const server = await listening((socket) => {
      open.promise.then(() => socket.end(ok("done")));
    });
    const fetch = fetcher({ concurrentMax: 4, waitingMax: 0, ...limits });
    const shared = [1, 2].map(() => fetch(server.origin));
    expect(await reasonOf(fetch(server.origin))).toBe("GIVEN_UP");
    const others = ["a", "b"].map((organization) => fetch(server.origin, { organization }));
    open.resolve();
    expect(await Promise.all([...shared, ...others])).toHaveLength(4);
    expect(await fetch(server.origin)).toHaveLength(4);
  });

  test("names whose servers do not answer hold up the organization that gave them", async () => {
    const server = await listening((socket) => socket.end(ok("done")));
    const silent = Promise.withResolvers<readonly string[]>();
    const asked: string[] = [];
    const fetch = createFetcher({
      allow: allowing("127.0.0.0/8"),
      http: true,
      resolve: (name) => {
        asked.push(name);
        return name.startsWith("silent") ? silent.promise : Promise.resolve(["127.0.0.1"]);
      },
      limits: { timeoutMs: 20_000, lookupsMax: 2, shareLookupsMax: 1 },
    });
    const from = (host: string, organization: string) => {
      const controller = new AbortController();
      const url = `http://${host}:${server.port}/`;
      const body = fetch(url, { organization, signal: controller.signal });
      return { body, giveUp: () => controller.abort() };
    };
    const held = from("silent-1.example", "a");
    while (asked.length < 1) await new Promise(setImmediate);
    held.giveUp();
    expect(await reasonOf(held.body)).toBe("GIVEN_UP");
    // The look-up goes on, and so the organization has no other one.
    const next = from("sp.example", "a");
    expect(Buffer.from(await from("sp.example", "b").body).toString()).toBe("done");
    expect(asked).toEqual(["silent-1.example", "sp.example"]);
    // All that there are at a time.
    const other = from("silent-2.example", "b");
    while (asked.length < 3) await new Promise(setImmediate);
    const third = from("sp.example", "c");
    silent.resolve(["127.0.0.1"]);
    for (const { body } of [next, other, third]) expect(await body).toHaveLength(4);
    expect(asked).toHaveLength(5);
  });

  test("waiting counts as time", async () => {
    const server = await listening(() => {});
    const fetch = fetcher({ concurrentMax: 1, waitingMax: 1, timeoutMs: 100 });
    const both = [reasonOf(fetch(server.origin)), reasonOf(fetch(server.origin))];
    expect(await Promise.all(both)).toEqual(["GIVEN_UP", "GIVEN_UP"]);
  });

  test("whatever the end, the place is free again", async () => {
    const answers = [
      "",
      "what?\r\n\r\n",
      ok(""),
      ok("", "content-encoding: br"),
      redirect("ftp://a"),
    ];
    const server = await listening((socket) => socket.end(answers.shift() ?? ""));
    const fetch = fetcher({ concurrentMax: 1, waitingMax: 0 });
    expect(await reasonOf(fetch("nowhere"))).toBe("URL_INVALID");
    expect(await reasonOf(fetch("https://10.0.0.1/"))).toBe("ADDRESS_NOT_ALLOWED");
    expect(await reasonOf(fetch(server.origin))).toBe("ANSWER_UNUSABLE");
    expect(await reasonOf(fetch(server.origin))).toBe("ANSWER_UNUSABLE");
    expect(await fetch(server.origin)).toHaveLength(0);
    expect(await reasonOf(fetch(server.origin))).toBe("ANSWER_UNUSABLE");
    expect(await reasonOf(fetch(server.origin))).toBe("ANSWER_UNUSABLE");
  });
});
