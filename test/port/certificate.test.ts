import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { Certificate } from "../../src/port/tls.ts";
import { get, textOf } from "../gateway/flight.ts";
import { endProcesses, inDirectory, repeatUntil, startProcess } from "../harness/process.ts";
import { refusalOf } from "../start/command.ts";
import { createCertificate } from "./certificate.ts";

const certificate = createCertificate("first");
const other = createCertificate("second");

afterEach(endProcesses);

describe("the process", () => {
  async function put({ cert, key }: Certificate, directory: string): Promise<readonly string[]> {
    const [certPath, keyPath] = [join(directory, "cert.pem"), join(directory, "key.pem")];
    await writeFile(certPath, cert);
    await writeFile(keyPath, key);
    return [`--tls-cert=${certPath}`, `--tls-key=${keyPath}`];
  }

  const shownBy = async (port: number, trusted: string) => {
    const socket = connectTls({ port, host: "127.0.0.1", ca: trusted });
    await once(socket, "secureConnect");
    const { subject } = socket.getPeerCertificate();
    // A connection that has made a call is kept for longer than one that has not.
    const answered = once(socket, "data");
    socket.write(get);
    await answered;
    return { socket, name: subject.CN };
  };

  test("reads its certificate again on SIGHUP, and keeps the old one if that fails", async () => {
    await inDirectory(async (directory) => {
      const flags = await put(certificate, directory);
      const service = startProcess(["--port=0", `--data-dir=${directory}`, ...flags]);
      const url = await service.listening;
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      const port = Number(new URL(url).port);
      const before = await shownBy(port, certificate.cert);
      expect(before.name).toBe("first");
      const logged = (text: string) => () => service.stderr().includes(text);

      await put({ ...other, key: certificate.key }, directory);
      await hangUpUntil(service, logged("the certificate was not renewed"));
      const told = service
        .stderr()
        .split("\n")
        .find((line) => line.includes("was not renewed"));
      expect(JSON.parse(told ?? "")).toMatchObject({
        level: 50,
        msg: "the certificate was not renewed: the previous one stays",
        why: expect.stringMatching(/cert\.pem, IAM_TLS_CERT \(--tls-cert\), is not the cert.+$/),
      });
      expect(told).not.toMatch(/\bat .*\.ts|stack/);
      const still = await shownBy(port, certificate.cert);
      expect(still.name).toBe("first");

      await put(other, directory);
      await hangUpUntil(service, logged("the certificate was renewed"));
      const after = await shownBy(port, other.cert);
      expect(after.name).toBe("second");
      for (const { socket } of [before, still, after]) {
        const text = textOf(socket);
        socket.write(get.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
        expect(await text).toMatch(/^HTTP\/1\.1 200 /);
      }
      service.kill("SIGTERM");
      expect(await service.ended).toEqual({ code: 0, signal: null });
    });
  });

  test.each([
    {
      name: "a key of another certificate",
      pair: { cert: other.cert, key: certificate.key },
      says: /cert\.pem, IAM_TLS_CERT \(--tls-cert\), is not the certificate of .+key\.pem: /,
    },
    {
      name: "no certificate in its file",
      pair: { cert: certificate.key, key: certificate.key },
      says: /cert\.pem, IAM_TLS_CERT \(--tls-cert\), holds no certificate in PEM form: /,
    },
    {
      name: "no key in its file",
      pair: { cert: certificate.cert, key: certificate.cert },
      says: /key\.pem, IAM_TLS_KEY \(--tls-key\), holds no private key in PEM form .+: /,
    },
  ])("does not start with $name", async ({ pair, says }) => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const args = ["--port=0", `--data-dir=${data}`, ...(await put(pair, directory))];
      const refusal = await refusalOf(args);
      expect(refusal).toMatch(says);
      expect(refusal.split("\n")).toHaveLength(1);
      expect(await readdir(directory)).not.toContain("data");
    });
  });
});

/** Sends one SIGHUP and waits until the log says what came of it. */
async function hangUpUntil(
  service: { kill(signal: NodeJS.Signals): void },
  isDone: () => boolean,
): Promise<void> {
  service.kill("SIGHUP");
  const done = Promise.withResolvers<void>();
  await repeatUntil(done.promise, () => {
    if (isDone()) done.resolve();
  });
}
