import { createCertificate } from "../fetch/certificate.ts";
import { allowing, type Listener, listen } from "../fetch/listener.ts";

const name = "api.example.com";
const certificate = createCertificate([name]);

/** What a fetcher needs to reach such hosts, which http would reach as well. */
export const reaching = {
  ...{ allow: allowing("127.0.0.0/8"), http: true, ca: certificate.cert },
  resolve: async () => ["127.0.0.1"],
};

/** A host that scripts may ask. */
export interface Host extends Listener {
  /** As the operator names it. */
  readonly host: string;
}

/** Starts one that answers so: see `listen`. */
export async function givenHost(answer?: Parameters<typeof listen>[0]): Promise<Host> {
  const listener = await listen(answer, certificate);
  const host = `${name}:${listener.port}`;
  return { ...listener, host, origin: `https://${host}` };
}
