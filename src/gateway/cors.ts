import { cors } from "@connectrpc/connect";
import fastifyCors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { type Alias, aliasOfHeader } from "../alias.ts";
import { replayedHeader } from "../api/once.ts";
import { organizationHeader } from "./call/gate.ts";
import { idempotencyHeader } from "./call/idempotency.ts";

/** What browsers may send to the server and read of its answers, from the pages of some origins. */
export interface CrossOrigin {
  /** Has Fastify answer preflights, and add the fields of CORS to its answers. */
  register(server: FastifyInstance): Promise<void>;
  /**
   * The fields that the answer to a program has as well: a cache may serve it to another origin.
   */
  readonly fields: { readonly [name: string]: string };
}

const methods = [...cors.allowedMethods, "PUT", "DELETE"];

const allowedHeaders = [
  ...cors.allowedHeaders,
  "authorization",
  "accept-language",
  idempotencyHeader,
  organizationHeader,
];

const exposedHeaders = [
  ...cors.exposedHeaders,
  "x-request-id",
  "www-authenticate",
  "retry-after",
  replayedHeader,
];

/**
 * Allows these origins, and the header of an alias; undefined where there are no origins, which
 * turns CORS off.
 */
export function createCrossOrigin(
  origins: readonly string[],
  alias: Alias | undefined,
): CrossOrigin | undefined {
  if (origins.length === 0) return undefined;
  const named = alias === undefined ? [] : [aliasOfHeader(alias)];
  const open = {
    ...{ origin: [...origins], methods, exposedHeaders },
    allowedHeaders: [...allowedHeaders, ...named],
    strictPreflight: false,
    maxAge: 7_200,
  };
  return {
    register: async (server) => {
      await server.register(fastifyCors, {
        // Any other OPTIONS is a verb like all that a path does not answer.
        delegator: ({ headers }, callback) =>
          callback(null, { ...open, preflight: "access-control-request-method" in headers }),
      });
    },
    fields: { vary: "Origin", "access-control-expose-headers": exposedHeaders.join(", ") },
  };
}
