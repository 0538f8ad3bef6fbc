import type { RecordedEvent } from "../../event.ts";

/** What a store reads is not what was written: nobody may be answered with it. */
export class Forged extends Error {
  override readonly name = "Forged";
  readonly where: ForgedAt;

  constructor(message: string, where: ForgedAt) {
    super(message);
    this.where = where;
  }
}

/**
 * The stream whose row or event that is, and of an event the position in decimal; or the SHA-256 of
 * bytes that an event names.
 */
export type ForgedAt =
  | { readonly stream: string; readonly position?: string }
  | { readonly attachment: string };

/** The error about the row of a stream's object, and what that is in its place. */
export function forgedRow(stream: string, found: string): Forged {
  return new Forged(`the row of ${stream} is ${found}: run verify for more`, { stream });
}

/** The error about an event that is not what was appended, by what shows it. */
export function forgedEvent(
  { stream, position }: RecordedEvent,
  faults: readonly ("MAC" | "link")[] = ["MAC"],
): Forged {
  const where = { stream, position: String(position) };
  const event = `the event at position ${position}, of ${stream},`;
  return new Forged(
    `${event} is not what was appended (its ${faults.join(" and its ")}): run verify for more`,
    where,
  );
}

/** The error about bytes whose SHA-256 is not the one by which an event names them. */
export function forgedAttachment(attachment: string): Forged {
  const message = `the bytes of the attachment ${attachment} are others: run verify for more`;
  return new Forged(message, { attachment });
}

/** What is read; nothing where it is not what was written, which is noted. */
export function wholeOrNoted<T>(read: () => T, note: (forged: Forged) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Forged)) throw error;
    note(error);
    return undefined;
  }
}
