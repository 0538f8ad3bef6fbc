import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What lies between a store and its database, and can be cut. */
export interface PostgresProxy {
  readonly url: string;
  /**
   * Cuts the connection at the next append: before the database has it, before it answers, or
   * before it says that an open transaction is committed.
   */
  cutNext(when: Cut): void;
  /** Lets nobody through, or all again. */
  block(isBlocked: boolean): void;
  close(): Promise<void>;
}

export type Cut = "before" | "after" | "committed";

/** Makes one for the database of a URL, whose host is the directory of a socket. */
export async function postgresProxy(url: string): Promise<PostgresProxy> {
  const { hostname, pathname } = new URL(url);
  const target = join(decodeURIComponent(hostname), ".s.PGSQL.5432");
  const directory = await mkdtemp(join(tmpdir(), "iam-proxy-"));
  const sockets = new Set<Socket>();
  let cut: Cut | undefined;
  let isBlocked = false;

  const server = createServer((client) => {
    if (isBlocked) {
      client.destroy();
      return;
    }
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
      if (cut !== undefined && data.includes("iam.append(")) {
        ending = cut;
        cut = undefined;
        if (ending === "before") {
          end();
          return;
        }
      }
      database.write(data);
    });
    database.on("data", (data) => {
      // The answer to what was to be cut is known to the database alone.
      if (ending === "after" || (ending === "committed" && data.includes("COMMIT"))) end();
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
