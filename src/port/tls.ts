import { createServer, type Server } from "node:tls";

/** A certificate with its chain and its private key, each as PEM text. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Older versions are deprecated (RFC 8996), and HTTP/2 may not be spoken over them. */
const minVersion = "TLSv1.2";

/** Shakes hands on connections that are given to it, and offers HTTP/2 before HTTP/1.1. */
export interface Handshakes {
  readonly server: Server;
  /** New connections get this certificate; those that are open live on with theirs. */
  renew(certificate: Certificate): void;
}

export function createHandshakes(certificate: Certificate, handshakeTimeout: number): Handshakes {
  const ALPNProtocols = ["h2", "http/1.1"];
  const server = createServer({ ...certificate, minVersion, ALPNProtocols, handshakeTimeout });
  return {
    server,
    renew: (renewed) => server.setSecureContext({ ...renewed, minVersion }),
  };
}
