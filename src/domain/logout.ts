import { accept, type Decision } from "./decision.ts";
import { mustExist, type Noun, unknownEvent, unlisted } from "./noun.ts";

/** A session that has ended, and the applications that are told of it, each once. */
export type LogoutEvent =
  | { readonly type: "logout.asked"; readonly payload: Logout }
  | { readonly type: "logout.sent"; readonly payload: ToldLogout }
  | {
      readonly type: "logout.failed";
      readonly payload: ToldLogout & { readonly problem: string };
    };

/** A session of a user that has ended. */
export interface EndedSession {
  readonly userId: string;
  readonly sessionId: string;
}

/** An application that is to be told that a session of a user has ended. */
export interface Telling extends EndedSession {
  /** `<position>-<field>` of what asked for it: the same in every attempt, and in no other. */
  readonly id: string;
  readonly clientId: string;
}

interface Logout extends EndedSession {
  /** The client ids of the applications, at most `loginLimits.told`. */
  readonly told: readonly string[];
}

/** Which application it is about: the position of what asked for it, and the field there. */
export interface ToldLogout {
  readonly position: string;
  readonly field: string;
}

/** The client ids of those who are still to be told, by the field that says so. */
export interface LogoutState extends EndedSession {
  readonly waiting: { readonly [field: string]: string };
}

/** The noun of logouts, each of which is over when all have been told. */
export const logout: Noun<LogoutState, LogoutEvent> = {
  ...unlisted,
  kind: "logout",
  events: {
    "logout.asked": "A session ended; the applications that it was used for are notified",
    "logout.sent": "An application was notified of the ended session",
    "logout.failed": "Notifying an application failed and was given up",
  },
  secrets: [],
  messages(event) {
    if (event.type !== "logout.asked") return [];
    return event.payload.told.map((to, index) => {
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
        const { told, ...ended } = event.payload;
        const waiting = told.map((clientId, index) => [fieldOf(index), clientId] as const);
        return { ...ended, waiting: Object.fromEntries(waiting) };
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
};

function fieldOf(index: number): string {
  return `told.${index}`;
}

/** What begins a logout. */
export function askToTell(payload: Logout): readonly LogoutEvent[] {
  return [{ type: "logout.asked", payload }];
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
