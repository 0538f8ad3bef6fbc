import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What lies between a store and its database, and can be cut. */
export interface PostgresProxy {
  readonly url: string;
  /** Cuts the connection at the next append: before the database has it, or before it answers. */
  cutNext(when: Cut): void;
  /**
   * Has the node of the next append stand still: the database gets and answers that, and nothing
   * more comes or goes on any connection of now. Resolves when the database has answered.
   */
  stallNext(): Promise<void>;
  /** Resolves when the next append was sent. */
  nextAppend(): Promise<void>;
  /** How many appends were sent. */
  appends(): number;
  /** Lets the database greet so many of the next connections, and cuts each in that packet. */
  cutGreetings(count: number): void;
  /** How many of these are to come still. */
  greetingsLeft(): number;
  /** Lets nobody through, or all again. */
  block(isBlocked: boolean): void;
  close(): Promise<void>;
}

export type Cut = "before" | "after";

/** How the database says that it takes statements, and that it ends a connection. */
const readyForQuery = Buffer.from("5a0000000549", "hex");
const goodbye = frameOf("E", "SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0");

function frameOf(kind: string, text: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Makes one for the database of a URL, whose host is the directory of a socket. */
export async function postgresProxy(url: string): Promise<PostgresProxy> {
  const { hostname, pathname } = new URL(url);
  const target = join(decodeURIComponent(hostname), ".s.PGSQL.5432");
  const directory = await mkdtemp(join(tmpdir(), "iam-proxy-"));
  const sockets = new Set<Socket>();
  let cut: Cut | undefined;
  let stall: (() => void) | undefined;
  /** One who stands still, by the sockets towards the database. */
  const still = new WeakSet<Socket>();
  let isBlocked = false;
  let appends = 0;
  const waiting: (() => void)[] = [];
  let greetingsCut = 0;

  const server = createServer((client) => {
    if (isBlocked) {
      client.destroy();
      return;
    }
    const greeting = greetingsCut > 0 ? ([] as Buffer[]) : undefined;
    greetingsCut -= greeting ? 1 : 0;
    const database = connect(target);
    let ending: Cut | undefined;
    const end = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (data) => {
      if (cut !== undefined && data.includes(".append(")) {
        ending = cut;
        cut = undefined;
        if (ending === "before") {
          end();
          return;
        }
      }
      if (still.has(database)) return;
      database.write(data);
      if (data.includes(".append(")) {
        appends += 1;
        for (const tell of waiting.splice(0)) tell();
      }
      if (stall !== undefined && data.includes(".append(")) {
        for (const socket of sockets) still.add(socket);
        database.once("data", stall);
        stall = undefined;
      }
    });
    database.on("data", (data) => {
      if (still.has(database)) return;
      if (greeting !== undefined) {
        greeting.push(data);
        // Only once it is whole, in one packet with the end.
        if (data.subarray(-readyForQuery.length).equals(readyForQuery)) {
          client.end(Buffer.concat([...greeting, goodbye]));
        }
        return;
      }
      // The answer to what was to be cut is known to the database alone.
      if (ending === "after") end();
      else client.write(data);
    });
  });
  server.listen(join(directory, ".s.PGSQL.5432"));
  await once(server, "listening");
  return {
    url: `postgres://iam@${encodeURIComponent(directory)}${pathname}`,
    cutNext(when) {
      cut = when;
    },
    stallNext() {
      const { promise, resolve } = Promise.withResolvers<void>();
      stall = resolve;
      return promise;
    },
    nextAppend: () => new Promise((resolve) => void waiting.push(resolve)),
    appends: () => appends,
    greetingsLeft: () => greetingsCut,
    cutGreetings(count) {
      greetingsCut = count;
    },
    block(blocked) {
      isBlocked = blocked;
      if (blocked) for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
