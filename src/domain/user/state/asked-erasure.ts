import type { Envelope } from "../../../event.ts";
import type { Nothing } from "../../noun.ts";
import type { Status } from "../../status.ts";
import { sortableTime } from "./sortable-time.ts";

/** The times of an erasure that a person asks for, in milliseconds. */
export const erasureTimes = {
  /** In which the person may take it back. */
  waitMs: 30 * 24 * 60 * 60_000,
  /** Before the end of that, when the person is told once more: afterwards there is no address. */
  announceMs: 24 * 60 * 60_000,
} as const;

/** An erasure that a person asks for: the request, the announcement of its end, or neither more. */
export type ErasureEvent =
  | { readonly type: "user.erasure.requested"; readonly payload: { readonly dueMs: number } }
  | { readonly type: "user.erasure.announced"; readonly payload: { readonly dueMs: number } }
  | { readonly type: "user.erasure.withdrawn"; readonly payload: Nothing };

/** What each of these events says: see `Noun.events`. */
export const erasureEvents: { readonly [type in ErasureEvent["type"]]: string } = {
  "user.erasure.requested": "The person asked to be erased at that time, and may take it back",
  "user.erasure.announced": "The time of the erasure that the person asked for is almost over",
  "user.erasure.withdrawn": "The person took the request to be erased back",
};

/** An erasure that a person has asked for. */
export interface AskedErasure {
  /** When the person asked (Unix milliseconds). */
  readonly askedMs: number;
  /** When the person is erased (Unix milliseconds). */
  readonly dueMs: number;
  /** Whether the person was told that the time is almost over. */
  readonly isAnnounced?: true;
}

/** When something has to be done about it next (Unix milliseconds). */
export function nextErasureStep({ dueMs, isAnnounced }: AskedErasure): number {
  return isAnnounced ? dueMs : dueMs - erasureTimes.announceMs;
}

/** A person as far as it matters to an erasure that the person has asked for. */
interface Asking extends Status {
  readonly erasure?: AskedErasure;
  readonly memberships: readonly unknown[];
}

/** The same person, who is told once more after the erasure was put off, for however long. */
export function puttingOff<State extends Asking>(state: State): State {
  if (state.erasure === undefined) return state;
  const { isAnnounced: _told, ...erasure } = state.erasure;
  return { ...state, erasure };
}

/** Whether the erasure has to wait: for roles to be taken away, or for the person to be back. */
export function isPutOff({ memberships, isInactive }: Asking): boolean {
  return memberships.length > 0 || isInactive === true;
}

/** What lists see of a person who is to be erased, where nothing puts it off. */
export function erasingOf(asking: Asking) {
  const { erasure } = asking;
  if (erasure === undefined || isPutOff(asking)) return {};
  return { erasing: sortableTime(nextErasureStep(erasure)) };
}

/** What is left of what a person has asked for after an event. */
export function evolveErasure(
  asked: AskedErasure | undefined,
  event: ErasureEvent & Envelope,
): { readonly erasure?: AskedErasure } {
  switch (event.type) {
    case "user.erasure.requested":
      return { erasure: { askedMs: event.timeMs, ...event.payload } };
    case "user.erasure.announced":
      return asked ? { erasure: { ...asked, ...event.payload, isAnnounced: true } } : {};
    case "user.erasure.withdrawn":
      return {};
  }
}
