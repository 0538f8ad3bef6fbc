import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { inDatabase } from "../../src/store/postgres/database.ts";
import { createCertificate } from "../fetch/certificate.ts";
import { freePort } from "../harness/port.ts";
import { type Cluster, makeCluster, own, unprivileged } from "../harness/postgres-cluster.ts";
import { describeOnPostgres } from "./postgres-place.ts";

/** This machine, as the address of another would look: no loopback address, and no socket. */
const elsewhere = "0.0.0.0";
const strange = /^The certificate of the database is not from a trusted authority\. /;
const otherHost = /^The certificate of the database names another host\. /;

describeOnPostgres("the TLS of a database", () => {
  let directory: string;
  let cluster: Cluster;
  let port: number;
  const root = () => join(directory, "root.pem");

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "iam-tls-"));
    const { cert, key } = createCertificate(["localhost"]);
    await writeFile(root(), cert);
    await writeFile(join(directory, "key.pem"), key, { mode: 0o600 });
    own(join(directory, "key.pem"), unprivileged());
    port = await freePort();
    cluster = makeCluster(directory, { port });
    await cluster.start([
      "listen_addresses=127.0.0.1",
      ...["ssl=on", `ssl_cert_file=${root()}`, `ssl_key_file=${join(directory, "key.pem")}`],
    ]);
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(directory, { recursive: true, maxRetries: 9 });
  });

  /** Whether a connection had TLS, as the server saw it, or why there was none. */
  async function ask(host: string, settings = ""): Promise<string> {
    const url = `postgres://iam:s3cret@${host}:${port}/postgres?${settings}`;
    const look = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    return await inDatabase(url, (pool) => pool.query<{ ssl: boolean }>(look)).then(
      ([row]) => (row?.ssl ? "TLS" : "cleartext"),
      (error: Error) => error.message,
    );
  }

  test("is as its URL says, as libpq has it", async () => {
    const named = `sslrootcert=${root()}`;
    expect(await ask("localhost", `sslmode=verify-full&${named}`)).toBe("TLS");
    expect(await ask("localhost", named)).toBe("TLS");
    expect(await ask("127.0.0.1", `sslmode=verify-ca&${named}`)).toBe("TLS");
    expect(await ask("127.0.0.1", "sslmode=require")).toBe("TLS");
    expect(await ask("localhost", "sslmode=verify-full")).toMatch(strange);
    expect(await ask("127.0.0.1", `sslmode=verify-full&${named}`)).toMatch(otherHost);
    expect(await ask("localhost", "sslrootcert=/nowhere")).toBe(
      "A file that the URL of the database names does not exist.",
    );
  });

  test("is not asked for on this machine, and required of all others", async () => {
    for (const host of ["localhost", "127.0.0.1"]) expect(await ask(host)).toBe("cleartext");
    expect(await ask(encodeURIComponent(cluster.socket))).toBe("cleartext");
    expect(await ask(elsewhere)).toMatch(strange);
    expect(await ask(elsewhere, `sslrootcert=${root()}`)).toMatch(otherHost);
    expect(await ask(elsewhere, "sslmode=require")).toBe("TLS");
    expect(await ask(elsewhere, "sslmode=disable")).toBe("cleartext");
  });

  test("is missed where the server has none", async () => {
    await cluster.stop();
    await cluster.start(["listen_addresses=127.0.0.1"]);
    for (const settings of ["", "sslmode=require"]) {
      expect(await ask(elsewhere, settings)).toBe(
        "The database does not support TLS. Turn TLS on there, or set sslmode=disable in " +
          "its URL if the network is trusted.",
      );
    }
    expect(await ask(elsewhere, "sslmode=disable")).toBe("cleartext");
  });
});
