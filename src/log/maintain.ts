import { ConfigError } from "../config/config.ts";
import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import type { LogCounts } from "../store/log-counts.ts";

/** Checks a log, reports each damage as one line and answers what it looked at. */
export type Verify = (
  report: (damage: string) => void,
) => Promise<LogCounts & { readonly unchecked: string | undefined }>;

export type Say = (line: string) => void;

/** The most damages that are printed; the others are only counted. */
export const damageLinesMax = 1_000;

/**
 * Prints what is damaged and, as the last line, what was checked; answers whether all is well.
 * Rejects with a ConfigError where the log at the path cannot be read.
 */
export async function printVerification(path: string, verify: Verify, say: Say): Promise<boolean> {
  let damages = 0;
  const report = (damage: string) => {
    damages += 1;
    if (damages <= damageLinesMax) say(damage);
  };
  const { unchecked, ...counts } = await orRefused(`${path} cannot be verified`, verify(report));
  if (damages > damageLinesMax) say(`and ${numbered(damages - damageLinesMax, "more damage")}`);
  if (unchecked !== undefined) say(unchecked);
  const found = damages === 0 ? "nothing is damaged" : numbered(damages, "damage");
  say(`Checked ${sourceOf(counts)} and ${derivedOf(counts)}: ${found}.`);
  return damages === 0;
}

/** Prints what was made anew. Rejects with a ConfigError where the log at the path cannot be. */
export async function printRebuild(
  path: string,
  rebuild: () => Promise<LogCounts>,
  say: Say,
): Promise<void> {
  say("Stop each service that has this log open: its writing calls wait or fail until the end.");
  const counts = await orRefused(`${path} cannot be rebuilt`, rebuild());
  say(`Made ${derivedOf(counts)} from ${sourceOf(counts)}.`);
}

/** The work, or a ConfigError that says what cannot be done, and why. */
export async function orRefused<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof KeyringInvalid || cause instanceof FileUnusable) throw cause;
    throw new ConfigError(`The event log ${what}: ${reasonOf(cause)}`, { cause });
  }
}

/** Why, without what was thrown while events were folded, which may speak of what they hold. */
function reasonOf(error: unknown): string {
  const { code = "", message, cause } = error as NodeJS.ErrnoException;
  if (["ENOENT", "ENOTDIR"].includes(code)) return "there is no such file";
  const { code: below = "", message: why } = (cause ?? {}) as NodeJS.ErrnoException;
  return below.startsWith("SQLITE_") ? `${message} ${why}` : message;
}

function sourceOf({ events, streams }: LogCounts): string {
  return `${numbered(events, "event")} of ${numbered(streams, "stream")}`;
}

function derivedOf({ objects, claims, fields, messages }: LogCounts): string {
  const listed = [
    numbered(objects, "object"),
    numbered(claims, "claim"),
    numbered(fields, "field"),
  ];
  return `${listed.join(", ")} and ${numbered(messages, "pending message")}`;
}

function numbered(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
