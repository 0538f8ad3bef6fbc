import type { Attempt } from "../../domain/sending.ts";
import type { Message } from "../message/message.ts";

/**
 * Hands a message over for delivery. Resolves within a bounded time, and at once when the signal
 * aborts it; does not reject for anything that happens on the way.
 */
export type Send = (message: Message, signal: AbortSignal) => Promise<Attempt>;

/** The way out for the messages of each channel. */
export type Channels = { readonly [channel in Message["channel"]]: Send };

/** Names a failure: by a code like ECONNREFUSED, its own or of its cause, else by its class. */
export function nameFailure(failure: unknown): string {
  for (let at = failure; isFailure(at); at = at.cause) {
    if (typeof at.code === "string" && /^[A-Z][A-Z0-9_]*$/.test(at.code)) return at.code;
  }
  return isFailure(failure) ? String(failure.name) : "unknown";
}

function isFailure(
  value: unknown,
): value is { readonly code?: unknown; readonly name?: unknown; readonly cause?: unknown } {
  return typeof value === "object" && value !== null;
}
