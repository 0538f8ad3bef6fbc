import { accept, reject } from "../decision.ts";
import { claimOf } from "../name.ts";
import { saysSame } from "../noun.ts";
import { asSelf, type Own, refuseFull } from "./own/own.ts";
import { type Acted, type Acting, refuseActing, type UserDecision } from "./state/acting.ts";
import type { MachineInput } from "./state/event.ts";
import type { Profile } from "./state/human-state.ts";
import type { UserState } from "./state/user.ts";

/** Replaces the names of a person and what else others see of it. */
export function updateProfile(acting: Acting, acted: Acted, profile: Profile): UserDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const human = acting.user?.human;
  if (human === undefined) {
    return reject("USER_NOT_HUMAN", "The user is a machine: UpdateMachine changes it.");
  }
  return changeProfile(human, profile);
}

/** The same of a person who does it itself, as often as there is room for in a day. */
export function updateOwnProfile(
  user: UserState | undefined,
  own: Own,
  profile: Profile,
  nowMs: number,
): UserDecision {
  return asSelf(
    user,
    own,
    nowMs,
    ({ human }): UserDecision =>
      refuseFull(human, "user.human.profile.changed", nowMs) ?? changeProfile(human, profile),
  );
}

/** Replaces the names of a person and what else others see of it, if that changes anything. */
export function changeProfile(human: Profile, profile: Profile): UserDecision {
  return saysSame(human, profile)
    ? reject("NOTHING_CHANGED")
    : accept({ user: [{ type: "user.human.profile.changed", payload: profile }] });
}

/** Replaces the login name of a user; blanks at the ends of the new one are no part of it. */
export function updateUserName(acting: Acting, acted: Acted, name: string): UserDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const userName = name.trim();
  if (userName === acting.user?.userName) return reject("NOTHING_CHANGED");
  return accept({
    user: [{ type: "user.name.changed", payload: { userName, ...claimOf(userName) } }],
  });
}

/** Replaces what is known of a machine, but for its login name. */
export function updateMachine(
  acting: Acting,
  acted: Acted,
  input: Omit<MachineInput, "userName">,
): UserDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const machine = acting.user?.machine;
  if (machine === undefined) {
    return reject("USER_NOT_MACHINE", "The user is a person: UpdateHumanProfile changes it.");
  }
  return saysSame(machine, input)
    ? reject("NOTHING_CHANGED")
    : accept({ user: [{ type: "user.machine.changed", payload: input }] });
}
