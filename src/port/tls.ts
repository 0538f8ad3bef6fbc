import { createServer, type Server } from "node:tls";

/** A certificate with its chain and its private key, each as PEM text. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Older versions are deprecated (RFC 8996), and HTTP/2 may not be spoken over them. */
const minVersion = "TLSv1.2";

/**
 * Ciphers that protect recorded traffic even if the private key is stolen later (RFC 9325), and is
 * not ruled out for HTTP/2 (RFC 9113, appendix A).
 */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

const secured = { minVersion, ciphers } as const;

/** Shakes hands on connections that are given to it, and offers HTTP/2 before HTTP/1.1. */
export interface Handshakes {
  readonly server: Server;
  /** New connections get this certificate; those that are open live on with theirs. */
  renew(certificate: Certificate): void;
}

export function createHandshakes(certificate: Certificate, handshakeTimeout: number): Handshakes {
  const ALPNProtocols = ["h2", "http/1.1"];
  const server = createServer({ ...certificate, ...secured, ALPNProtocols, handshakeTimeout });
  return {
    server,
    renew: (renewed) => server.setSecureContext({ ...renewed, ...secured }),
  };
}
