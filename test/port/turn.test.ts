import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Writable } from "node:stream";
import { expect, test } from "@jest/globals";
import { portLimits } from "../../src/port/limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { createPort } from "../../src/port/port.ts";
import { writeAtEndOfTurn } from "../../src/port/turn.ts";

test("what is written in one turn of the event loop leaves at its end, in order", async () => {
  const written: string[] = [];
  const open = (name: string) => {
    const one = new Writable({
      write: (chunk, _encoding, done) => {
        written.push(`${name} ${chunk}`);
        done();
      },
      writev: (chunks, done) => {
        written.push(`${name} ${chunks.map(({ chunk }) => chunk).join("+")}`);
        done();
      },
    });
    writeAtEndOfTurn(one);
    return one;
  };
  const [first, second] = [open("first"), open("second")];
  first.write("a");
  second.write("b");
  await Promise.resolve();
  first.write("c");
  first.write("d");
  expect(written).toEqual([]);
  await new Promise(setImmediate);
  expect(written).toEqual(["first a", "second b"]);
  await new Promise(setImmediate);
  expect(written).toEqual(["first a", "second b", "first c+d"]);
});

test.each([
  ["ended", (socket: Socket) => socket.end("all of it"), "all of it"],
  [
    "destroyed when it has written",
    (socket: Socket) => {
      socket.write("all of it");
      socket.destroySoon();
    },
    "all of it",
  ],
  [
    "cut off",
    (socket: Socket) => {
      socket.write("none of it");
      socket.destroy();
    },
    "",
  ],
] as const)("a connection that is %s", async (_name, end, expected) => {
  const server = createServer((socket) => {
    writeAtEndOfTurn(socket);
    end(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const client = connect(typeof address === "string" ? 0 : (address?.port ?? 0), "127.0.0.1");
  let read = "";
  client.on("data", (chunk) => {
    read += chunk;
  });
  await once(client, "close");
  expect(read).toBe(expected);
  server.close();
});

test.each([
  ["idle", { lingerMs: 0 }],
  ["cut off", { lingerMs: 60_000, stopGraceMs: 0 }],
])("an answer is written before its connection is closed: %s", async (_name, times) => {
  const port = createPort({
    limits: { ...portLimits, ...times },
    peers: createPeers([]),
    tooManyRequests: () => Buffer.alloc(0),
  });
  port.serve({
    listener: (_request, response) => {
      // Timers come before the end of the next turn, and theirs is over by then.
      setImmediate(() => {
        response.end("all of it");
        void port.close();
        const begun = performance.now();
        while (performance.now() < begun + 5);
      });
    },
  });
  const address = await port.listen("127.0.0.1", 0);
  const answer = await fetch(`http://127.0.0.1:${address.port}/`);
  expect(await answer.text()).toBe("all of it");
});
