import type { Reason, reasons } from "../../reason.ts";

/**
 * When it helps to repeat a call that was refused for want of room or of a server: after so many
 * milliseconds, after a time that the refusal itself states, or never, however long one waits.
 */
const waits: { readonly [reason in WaitReason]: number | "stated" | "never" } = {
  BODY_TOO_LARGE: "never",
  HEADERS_TOO_LARGE: "never",
  PAGE_TOO_LARGE: "never",
  SEARCH_TOO_LONG: 10_000,
  LISTS_OVERLOADED: 1_000,
  LIMIT_REACHED: "never",
  CODE_TOO_SOON: "stated",
  TOO_MANY_SMS: "stated",
  TOO_MANY_MAILS: "stated",
  TOO_MANY_DOWNLOADS: "stated",
  TOO_MANY_UPLOADS: "stated",
  REQUESTS_UNANSWERED: 1_000,
  BODIES_OVERLOADED: 1_000,
  ANSWERS_OVERLOADED: 1_000,
  HASHING_OVERLOADED: 1_000,
  KEYS_OVERLOADED: 1_000,
  TOO_MANY_OPEN_CALLS: 1_000,
  TOO_MANY_CALLS: "stated",
  TOO_MANY_WATCHES: 10_000,
  SHUTTING_DOWN: 1_000,
  UNAVAILABLE: 5_000,
  LOG_FILE_REPLACED: "never",
  CLOCK_WENT_BACK: 60_000,
  HISTORY_CHANGED: 60_000,
};

/** The reasons of which callers want to know when to come back: all of two statuses. */
type WaitReason = {
  [reason in Reason]: (typeof reasons)[reason][0] extends "resource_exhausted" | "unavailable"
    ? reason
    : never;
}[Reason];

/** Milliseconds after which to repeat a call; undefined where that helps nobody or is not known. */
export function waitMsOf(reason: Reason): number | undefined {
  const { [reason]: wait }: { readonly [reason in Reason]?: number | string } = waits;
  return typeof wait === "number" ? wait : undefined;
}
