import type { ConnectError } from "@connectrpc/connect";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rejectionFor } from "../domain/decision.ts";
import { createShares, createWaiting } from "../port/shares.ts";
import { failure } from "./call/errors.ts";
import { type GatewayLimits, openCallsOf } from "./call/limits.ts";
import type { Pace } from "./call/pace.ts";
import { type SenderOf, sourceOf, takeOpenCall } from "./call/sender.ts";
import type { Unread } from "./call/unread.ts";

/**
 * What a request that is no call is for: pages for people, tokens, or what applications look up.
 * Each kind has as much as the others, so that none takes what they need.
 */
export type Kind = "pages" | "tokens" | "lookups";

/** A request with its answer. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * What those are given who answer requests that are no calls. A request counts as work only while
 * it is worked on: before, it waits for the rest of what its sender sends, and after, for its
 * sender to take the answer. Of too many that wait the oldest goes.
 */
export interface Front {
  /** Milliseconds within which a request must arrive completely. */
  readonly requestTimeoutMs: number;
  /** The same of a form of `formBytesMax` or less. */
  readonly formTimeoutMs: number;
  /** What a request counts for; undefined where it has no share of its own. */
  addressOf(request: FastifyRequest): string | undefined;
  /**
   * Counts a request for its address, before anything of it is read. Throws the refusal where it is
   * one too many.
   */
  enter(request: FastifyRequest): void;
  /** Counts a request that is refused in any case; answers what it is refused with. */
  refusalFor(request: FastifyRequest, refusal: ConnectError): ConnectError;
  /**
   * Has a request wait for the rest of it, until what this answers is called. It is cut with the
   * refusal that it is to be answered with.
   */
  wait(request: FastifyRequest, cut: (refusal: Error) => void): () => void;
  /** Works on a request that is there. Rejects with the refusal where it is one too many. */
  work<Result>(request: FastifyRequest, kind: Kind, work: () => Promise<Result>): Promise<Result>;
  /**
   * Counts an answer by the bytes of its body until its sender has taken it or is gone. Where the
   * body is not given, its head says how many they are. One without a body may wait over HTTP/2.
   */
  answer(exchange: Exchange, body?: unknown): void;
}

/** Counts the answers that Fastify sends. */
export function countAnswers(server: FastifyInstance, front: Pick<Front, "answer">): void {
  server.addHook("onSend", (request, reply, body, done) => {
    front.answer({ request, reply }, body);
    done();
  });
}

export function createFront(
  limits: GatewayLimits,
  senderOf: SenderOf,
  pace: Pace,
  unread: Unread,
): Front {
  const bounds = openCallsOf(limits);
  const senders = createWaiting(bounds);
  const shares = {
    pages: createShares(bounds),
    tokens: createShares(bounds),
    lookups: createShares(bounds),
  };
  const sender = ({ raw, headers }: FastifyRequest) => senderOf(sourceOf(raw), headers);
  return {
    requestTimeoutMs: limits.requestTimeoutMs,
    formTimeoutMs: Math.min(limits.formTimeoutMs, limits.requestTimeoutMs),
    addressOf: (request) => sender(request).address,
    enter: (request) => pace.countAddress(sender(request)),
    refusalFor: (request, refusal) => pace.refusalFor(sender(request), refusal),
    wait: (request, cut) =>
      senders.join(sender(request), () => cut(failure(rejectionFor("TOO_MANY_OPEN_CALLS")))),
    async work(request, kind, work) {
      const end = takeOpenCall(sender(request), shares[kind]);
      try {
        return await work();
      } finally {
        end();
      }
    },
    answer({ request, reply }, body) {
      const source = sourceOf(request.raw);
      // It is closed no more once it is.
      if ("session" in source ? source.destroyed : reply.raw.destroyed) return;
      reply.raw.once("close", unread.count(sender(request), bytesOf(body, reply)));
    },
  };
}

/** The bytes of a body; 1 for one that is made while it is sent, without a length. */
function bytesOf(body: unknown, reply: FastifyReply): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  const isEmpty = body === undefined || body === null;
  return Number(reply.getHeader("content-length") ?? (isEmpty ? 0 : 1));
}
