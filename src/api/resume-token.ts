import type { Problem } from "../domain/decision.ts";

/** A position in the log, and the beginning of the link of what lies there, in hexadecimal. */
export interface ResumePoint {
  readonly position: bigint;
  readonly mark: string;
}

/** Bytes of a link that tell one log from what another made of its end. */
const markBytes = 8;

const form = /^(0|[1-9][0-9]{0,15})-([0-9a-f]{16})$/;

/** The text for a position that has this link; callers hand it in again and read nothing in it. */
export function writeResumeToken(position: bigint, link: Uint8Array): string {
  return resumeTokenAt(position, markOf(link));
}

/** The same for a position whose link begins so. */
export function resumeTokenAt(position: bigint, mark: string): string {
  return `${position}-${mark}`;
}

/** The position that a token stands for; undefined where it is none. */
export function readResumeToken(token: string): ResumePoint | undefined {
  const [, position, mark] = form.exec(token) ?? [];
  return mark === undefined ? undefined : { position: BigInt(position ?? ""), mark };
}

/** The rule of a token that a caller hands in. */
export function resumeTokenProblem(token: string): Problem {
  const isNone = readResumeToken(token) === undefined;
  return isNone ? "must be the unchanged resume_token of an answer" : undefined;
}

/** Whether the log has at a position, by its link there now, what it had when it was marked. */
export function isThere(mark: string, link: Uint8Array | undefined): boolean {
  return link !== undefined && markOf(link) === mark;
}

/** The beginning of a link, as tokens have it. */
export function markOf(link: Uint8Array): string {
  return Buffer.from(link.buffer, link.byteOffset, markBytes).toString("hex");
}
