import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { PageTable } from "../pages/routes.ts";
import { createFindProvider } from "./library.ts";
import { loginPages } from "./login.ts";
import type { ProviderParts } from "./parts.ts";
import { registerProvider } from "./routes.ts";
import { createShown } from "./shown.ts";

/** What the gateway gives to whoever answers requests that are no calls. */
interface Front {
  readonly requestTimeoutMs: number;
  readonly count: (request: FastifyRequest) => () => void;
  readonly addressOf: (request: FastifyRequest) => string | undefined;
}

/** The OpenID provider: its own paths, and the pages on which people log in. */
export interface OpenIDProvider {
  readonly pages: PageTable;
  register(server: FastifyInstance): void;
}

/** Makes the provider. Nothing of the library is loaded before it is asked for something. */
export function createProvider(
  parts: ProviderParts,
  { requestTimeoutMs, count, addressOf }: Front,
): OpenIDProvider {
  const findProvider = createFindProvider(parts, createShown());
  let noHash: Promise<string> | undefined;
  const site = {
    ...parts,
    ...{ findProvider, addressOf },
    noHash: () => {
      noHash ??= parts.passwords.hashPassword(randomUUID());
      return noHash;
    },
  };
  return {
    pages: loginPages(site),
    register: (server) =>
      registerProvider(server, { findProvider, parts, requestTimeoutMs, count }),
  };
}
