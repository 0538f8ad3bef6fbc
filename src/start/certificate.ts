import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { ConfigError, labelOf } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import type { Certificate } from "../port/tls.ts";

/**
 * Reads a certificate and its key. Rejects with a ConfigError that says which file is at fault
 * where one cannot be read, holds something else, or does not belong to the other.
 */
export async function readCertificate(certPath: string, keyPath: string): Promise<Certificate> {
  const certName = `${certPath}, ${labelOf(settings.tlsCert)},`;
  const keyName = `${keyPath}, ${labelOf(settings.tlsKey)},`;
  const cert = await readText(certPath, certName);
  const key = await readText(keyPath, keyName);
  checkCertificate({ cert }, `${certName} holds no certificate in PEM form`);
  checkCertificate({ key }, `${keyName} holds no private key in PEM form without a password`);
  checkCertificate({ cert, key }, `${certName} is not the certificate of ${keyPath}`);
  return { cert, key };
}

async function readText(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`${name} cannot be read: ${code}`, { cause });
  }
}

function checkCertificate(certificate: Partial<Certificate>, problem: string): void {
  try {
    createSecureContext(certificate);
  } catch (cause) {
    throw new ConfigError(`${problem}: ${(cause as Error).message}`, { cause });
  }
}
