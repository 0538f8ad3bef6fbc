import { accept, type Refusal, reject } from "../../src/domain/decision.ts";
import { eraseUser } from "../../src/domain/user/erase.ts";
import { metadata, metadataOf } from "../../src/domain/user/metadata.ts";
import type { LoginEvent } from "../../src/domain/user/state/login-event.ts";
import { activeOwners, type UserState, user } from "../../src/domain/user/state/user.ts";
import type { Random } from "../gateway/native/random.ts";
import type { SomeCommand, Task } from "./task.ts";

/** A command without who gives it and what it answers, as far as this file knows its states. */
type Erasing = Pick<SomeCommand, "writes" | "relies" | "groups" | "users"> & {
  decide(states: States, nowMs: number): { readonly events: object } | Refusal;
};

interface States {
  readonly user: UserState | undefined;
  readonly metadata?: unknown;
  readonly owners?: number;
}

interface Options {
  readonly random: Random;
  readonly organization: string;
  /** One of the users that were made last. */
  readonly someUser: () => string;
  readonly fresh: () => string;
  readonly task: (what: string, command: Erasing) => Task;
}

/** The kinds of tasks by which people log in and have metadata, and are erased. */
export function erasingKinds({ random, organization, someUser, fresh, task }: Options) {
  const login = (id: string, what: string, event: LoginEvent): Task =>
    task(`${what} ${id}`, {
      writes: { user: { noun: user, id } },
      decide: ({ user: state }) =>
        state?.human === undefined ? reject("USER_NOT_FOUND") : accept({ user: [event] }),
    });
  const ofKey = (id: string) => ({ noun: metadata, id: `${id}-plan`, owner: organization });

  return [
    () => {
      const session = { clientId: "app", factors: ["password"], browser: random.pick(["a", "b"]) };
      const payload = { ...session, sessionId: fresh(), network: "203.0.113.0/24" } as const;
      return login(someUser(), "begin a session of", {
        type: "user.human.session.begun",
        payload: payload as Extract<LoginEvent, { type: "user.human.session.begun" }>["payload"],
      });
    },
    () =>
      login(someUser(), "note a wrong password of", {
        type: "user.human.login.failed",
        payload: { factor: "password", network: "198.51.100.0/24" },
      }),
    () => {
      const [id, value] = [someUser(), random.pick(["b25l", "dHdv"])];
      return task(`set a key of ${id} to ${value}`, {
        writes: { metadata: ofKey(id) },
        relies: { user: { noun: user, id } },
        decide: (states) =>
          states.user === undefined
            ? reject("USER_NOT_FOUND")
            : accept({
                metadata: [
                  { type: "user.metadata.set", payload: { userId: id, key: "plan", value } },
                ],
              }),
      });
    },
    () => {
      const id = someUser();
      return task(`remove a key of ${id}`, {
        writes: { metadata: ofKey(id) },
        decide: (states) =>
          states.metadata === undefined
            ? reject("USER_METADATA_NOT_FOUND")
            : accept({ metadata: [{ type: "user.metadata.erased", payload: {} }] }),
      });
    },
    () => {
      const id = someUser();
      return task(`erase ${id}`, {
        users: [id],
        writes: { user: { noun: user, id } },
        groups: {
          owners: { noun: user, ...activeOwners },
          keys: { noun: metadata, ...metadataOf(id) },
        },
        decide: ({ user: state, owners = 0 }, nowMs) => {
          const past = { organization: undefined, isRemoved: false, isErased: false };
          const acting = { user: state, caller: undefined, owners };
          const erasure = { organization, userId: id, past, reason: "asked" };
          const { events, ...decision } = eraseUser(acting, erasure, nowMs);
          // No session was used for an application that is told of its end.
          const { user: own = [], metadata: keys = [] } = events;
          return { ...decision, events: { user: own, keys } };
        },
      });
    },
  ];
}
