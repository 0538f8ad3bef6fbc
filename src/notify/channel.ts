import type { Attempt } from "../domain/sending.ts";
import type { Language } from "../text/language.ts";
import type { Picture } from "./mail-brand.ts";

/** A message as it goes out. */
export interface Message {
  /** `<position>-<field>` of what asked for it: the same in every attempt, and in no other. */
  readonly id: string;
  /** Tells it apart from messages of other logs too; nothing can be learned from it. */
  readonly digest: string;
  readonly channel: "email" | "sms";
  /** A plain e-mail address or a phone number (E.164). */
  readonly to: string;
  readonly language: Language;
  readonly subject: string;
  /** Plain text of lines that end in a line feed. */
  readonly text: string;
  /** The same words as a whole HTML document, for channels that can show one. */
  readonly html?: string;
  /** What the HTML shows that goes along with it. */
  readonly picture?: Picture;
  /** When it was asked for, in Unix milliseconds. */
  readonly timeMs: number;
}

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
