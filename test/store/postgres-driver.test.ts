import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { inDatabase } from "../../src/store/postgres/database.ts";
import type { Pool } from "../../src/store/postgres/pool.ts";
import { migrate } from "../../src/store/postgres/schema.ts";

// What a server asks for and the URL has not, which the driver says without a code.

const saslOffer = frame(10, "SCRAM-SHA-256\0\0");
const saslContinue = frame(11, "r=nonce,s=c2FsdA==,i=4096");

/** What a server answers, one after the other. */
let answers: (string | Buffer)[];
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  const rest = [...answers];
  socket.on("error", () => {});
  socket.on("data", () => {
    const answer = rest.shift();
    if (answer !== undefined) socket.write(answer);
  });
});
beforeEach(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});

/** A message about authentication. */
function frame(kind: number, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.write("R");
  head.writeInt32BE(8 + text.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

test.each<readonly [what: string, answers: (string | Buffer)[], user: string, says: string]>([
  ["TLS", ["N"], "iam:s3cret@", "set sslmode=disable in its URL"],
  [
    "a password",
    [saslOffer, saslContinue],
    "iam@",
    "The database requires a password, but IAM_DATABASE_URL has none.",
  ],
])("a refusal for want of %s says so", async (what, given, user, says) => {
  answers = given;
  const { port } = server.address() as AddressInfo;
  const settings = what === "TLS" ? "?sslmode=require" : "";
  const url = `postgres://${user}127.0.0.1:${port}/iam${settings}`;
  await expect(inDatabase(url, (pool) => pool.query("SELECT 1"))).rejects.toThrow(says);
});

test("a server that is too old is refused", async () => {
  const server = { version: 140_023, name: "14.23", encoding: "UTF8" };
  const old: Pick<Pool, "using"> = {
    using: (work) => work({ query: async <Row>() => [server as Row] }),
  };
  await expect(migrate(old as Pool)).rejects.toThrow(
    "The database is PostgreSQL 14.23: 15 is the oldest that is supported.",
  );
});
