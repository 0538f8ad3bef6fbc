import type { FastifyReply, FastifyRequest } from "fastify";
import type { PathMatch, PathShape } from "./call/paths.ts";
import type { RestRoute } from "./connect/rest.ts";

/** Answers a request, with what its path says. */
export type Respond = (
  request: FastifyRequest,
  reply: FastifyReply,
  pathFields: PathMatch<unknown>["pathFields"],
) => Promise<void>;

/** What is at a path; one of REST has its route. */
export interface Endpoint {
  readonly respond: Respond;
  readonly route?: RestRoute;
}

/** A path with what is there. */
export type PathEndpoint = readonly [PathShape, Endpoint];
