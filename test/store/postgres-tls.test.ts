import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { expect, it } from "@jest/globals";
import { inDatabase } from "../../src/store/postgres/database.ts";
import { createCertificate } from "../fetch/certificate.ts";
import { postgresServer } from "../harness/postgres.ts";
import { inDirectory } from "../harness/process.ts";
import { describeOnPostgres } from "./postgres-place.ts";

/** Speaks TLS as a server of PostgreSQL does, before one that has a socket of its own. */
async function serveTls(certificate: { readonly cert: string; readonly key: string }) {
  const { socket: directory } = await postgresServer();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
  };
  const server = createServer((plain) => {
    keep(plain);
    // What comes first asks for TLS: a length, and a number that stands for it.
    plain.once("data", () => {
      plain.write("S");
      const secured = new TLSSocket(plain, { isServer: true, ...certificate });
      const database = connect(join(directory, ".s.PGSQL.5432"));
      keep(database);
      secured.on("error", () => database.destroy());
      secured.pipe(database).pipe(secured);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port, close };
}

describeOnPostgres("the TLS of a database", () => {
  it("is as its URL says, as libpq has it", () =>
    inDirectory(async (directory) => {
      const certificate = createCertificate(["localhost"]);
      const root = join(directory, "root.pem");
      await writeFile(root, certificate.cert);
      const { port, close } = await serveTls(certificate);
      const ask = (host: string, settings: string) => {
        const url = `postgres://iam:s3cret@${host}:${port}/postgres?${settings}`;
        const asked = inDatabase(url, (pool) => pool.query<{ one: number }>("SELECT 1 AS one"));
        return asked.then(
          ([row]) => String(row?.one),
          (error: Error) => error.message,
        );
      };
      try {
        expect(await ask("localhost", `sslmode=verify-full&sslrootcert=${root}`)).toBe("1");
        expect(await ask("127.0.0.1", `sslmode=verify-ca&sslrootcert=${root}`)).toBe("1");
        expect(await ask("127.0.0.1", "sslmode=require")).toBe("1");
        for (const [host, settings] of [
          ["127.0.0.1", `sslmode=verify-full&sslrootcert=${root}`],
          ["localhost", "sslmode=verify-full"],
        ] as const) {
          const refused = await ask(host, settings);
          expect(refused).toMatch(/^The database cannot be reached \([A-Z_]+\)\.$/);
        }
      } finally {
        await close();
      }
    }));
});
