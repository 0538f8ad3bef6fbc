import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { request } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Running } from "../../src/start/serve.ts";
import { inFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { createCertificate } from "../port/certificate.ts";
import { start as startHere } from "./command.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);
/** A machine without IPv6 has one loopback address; there these tests count as skipped. */
const describeWithIpv6 = hasIpv6 ? describe : describe.skip;

const loopbacks = ["127.0.0.1", "::1"] as const;
const otherOf = { "127.0.0.1": "::1", "::1": "127.0.0.1" } as const;
const nameOf = (address: string) => (address === "::1" ? "[::1]" : address);

const start = (directory: string, ...flags: readonly string[]): Promise<Running> =>
  startHere([`--data-dir=${join(directory, "data")}`, ...flags]);

async function listener(host: string, port = 0): Promise<Server & { readonly port: number }> {
  const server = createServer().listen({ host, port, ipv6Only: host === "::1" });
  await once(server, "listening");
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

const close = (server: Server) => new Promise((done) => server.close(done));

/** Listens on the first of two addresses, on a port that is free on the second. */
async function takeOne(address: string, other: string): ReturnType<typeof listener> {
  for (;;) {
    const taken = await listener(address);
    const free = await listener(other, taken.port).catch(() => undefined);
    await close(free ?? taken);
    if (free !== undefined) return taken;
  }
}

/** The link with which a person who is imported now creates a passkey. */
async function passkeyLink(url: string, directory: string): Promise<string> {
  const token = (await readFile(join(directory, "data/admin.token"), "utf8")).trim();
  const response = await fetch(`${url}/management/v1/users/human/_import`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      userName: "ada",
      email: { email: "ada@example.com" },
      profile: { firstName: "Ada", lastName: "Lovelace" },
      requestPasswordlessRegistration: true,
    }),
  });
  const answer = (await response.json()) as { passwordlessRegistration: { link: string } };
  return answer.passwordlessRegistration.link;
}

describeWithIpv6.each(loopbacks)("a service that is to listen on %s", (host) => {
  test("answers on both loopback addresses, and its links say localhost", async () => {
    await inDirectory(async (directory) => {
      const running = await start(directory, `--host=${host}`, "--port=0");
      const { port } = new URL(running.url);
      expect(running.url).toBe(`http://${nameOf(host)}:${port}`);
      for (const address of [...loopbacks.map(nameOf), "localhost"]) {
        const url = `http://${address}:${port}`;
        expect([address, (await fetch(`${url}/readyz`)).status]).toEqual([address, 200]);
        const session = connect(url);
        const [{ ":status": status }] = await once(
          session.request({ ":path": "/readyz" }),
          "response",
        );
        expect([address, status]).toEqual([address, 200]);
        session.destroy();
      }
      const link = await passkeyLink(running.url, directory);
      expect(link).toMatch(new RegExp(`^http://localhost:${port}/ui/passwordless/init\\?`));
      await running.close();
      for (const address of loopbacks) {
        await expect(fetch(`http://${nameOf(address)}:${port}/readyz`)).rejects.toThrow();
      }
    });
  });

  inFull("answers both with TLS", async () => {
    await inDirectory(async (directory) => {
      const { cert, key } = createCertificate("loopback");
      const files = [join(directory, "cert.pem"), join(directory, "key.pem")] as const;
      await Promise.all([writeFile(files[0], cert), writeFile(files[1], key)]);
      const tls = [`--tls-cert=${files[0]}`, `--tls-key=${files[1]}`];
      const running = await start(directory, `--host=${host}`, "--port=0", ...tls);
      const { port } = new URL(running.url);
      for (const address of loopbacks) {
        const asked = request({
          host: address,
          servername: "localhost",
          port,
          path: "/readyz",
          ca: cert,
        });
        const [answer] = await once(asked.end(), "response");
        expect([address, answer.statusCode]).toEqual([address, 200]);
        answer.destroy();
      }
      await running.close();
    });
  });

  test("does not start where the port of the other loopback address is taken", async () => {
    await inDirectory(async (directory) => {
      const taken = await takeOne(otherOf[host], host);
      const { port } = taken;
      await expect(start(directory, `--host=${host}`, `--port=${port}`)).rejects.toThrow(
        `The service cannot listen on ${host.includes(":") ? `[${host}]` : host}:${port}: ` +
          "another program listens there. End it, or change IAM_PORT (--port).",
      );
      // Neither address is kept.
      const own = await listener(host, port);
      await Promise.all([close(own), close(taken)]);
      const running = await start(directory, `--host=${host}`, `--port=${port}`);
      expect(running.welcome).toMatch(/^This is a new instance\./);
      await running.close();
    });
  });
});

test("a public URL is what links begin with, wherever the service listens", async () => {
  await inDirectory(async (directory) => {
    const running = await start(directory, "--port=0", "--public-url=https://iam.example.com/x");
    const link = await passkeyLink(running.url, directory);
    expect(link).toMatch(/^https:\/\/iam\.example\.com\/x\/ui\/passwordless\/init\?/);
    await running.close();
  });
});
