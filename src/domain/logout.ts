import type { Claim, ObjectRow } from "../event.ts";
import { accept, type Decision } from "./decision.ts";
import { mustExist, type Noun, unknownEvent } from "./noun.ts";

/** Sessions that have ended at once, and the applications that are told of it, each once. */
export type LogoutEvent =
  | { readonly type: "logout.asked"; readonly payload: Logout }
  | { readonly type: "logout.sent"; readonly payload: ToldLogout }
  | {
      readonly type: "logout.failed";
      readonly payload: ToldLogout & { readonly problem: string };
    };

/** A session that has ended, and an application that was logged in to in it. */
export interface EndedSession {
  readonly sessionId: string;
  readonly clientId: string;
}

/** An application that is to be told that a session of a user has ended. */
export interface Telling extends EndedSession {
  /** `<position>-<field>` of what asked for it: the same in every attempt, and in no other. */
  readonly id: string;
  readonly userId: string;
}

interface Logout {
  readonly userId: string;
  readonly ended: readonly EndedSession[];
}

/** Which application it is about: the position of what asked for it, and the field there. */
export interface ToldLogout {
  readonly position: string;
  readonly field: string;
}

/** Who is still to be told, by the field that says so. */
export interface LogoutState {
  readonly userId: string;
  readonly waiting: { readonly [field: string]: EndedSession };
}

/** The noun of logouts, each of which is over when all have been told. */
export const logout: Noun<LogoutState, LogoutEvent> = {
  kind: "logout",
  events: {
    "logout.asked": "Sessions ended, of which applications are told that were logged in to",
    "logout.sent": "An application was told that a session has ended",
    "logout.failed": "It was given up to tell an application",
  },
  secrets: [],
  messages(event) {
    if (event.type !== "logout.asked") return [];
    return event.payload.ended.map(({ clientId: to }, index) => {
      return { field: fieldOf(index), channel: "call", to };
    });
  },
  settles(event) {
    if (event.type === "logout.asked") return undefined;
    return { position: BigInt(event.payload.position), field: event.payload.field };
  },
  evolve(state, event) {
    switch (event.type) {
      case "logout.asked": {
        const { userId, ended } = event.payload;
        const waiting = ended.map((one, index) => [fieldOf(index), one] as const);
        return { userId, waiting: Object.fromEntries(waiting) };
      }
      case "logout.sent":
      case "logout.failed": {
        const { [event.payload.field]: _told, ...waiting } = mustExist(state).waiting;
        const isOver = Object.keys(waiting).length === 0;
        return isOver ? undefined : { ...mustExist(state), waiting };
      }
      default:
        return unknownEvent(event);
    }
  },
  claims: (): readonly Claim[] => [],
  row: (): Omit<ObjectRow, "kind"> => ({ parent: "", fields: {} }),
};

function fieldOf(index: number): string {
  return `ended.${index}`;
}

/** What is to be recorded so that applications are told of ended sessions; nothing for none. */
export function askToTell(userId: string, ended: readonly EndedSession[]): readonly LogoutEvent[] {
  return ended.length === 0 ? [] : [{ type: "logout.asked", payload: { userId, ended } }];
}

/** Records that an application was told, or for what problem it was given up. */
export function recordTold(
  state: LogoutState | undefined,
  told: ToldLogout,
  problem: string | undefined,
): Decision<{ logout?: readonly LogoutEvent[] }> {
  if (state === undefined || !Object.hasOwn(state.waiting, told.field)) return accept({});
  return accept({
    logout: [
      problem === undefined
        ? { type: "logout.sent", payload: told }
        : { type: "logout.failed", payload: { ...told, problem } },
    ],
  });
}
