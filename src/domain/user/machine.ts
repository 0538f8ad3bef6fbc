import { accept } from "../decision.ts";
import { claimOf } from "../name.ts";
import type { UserDecision } from "./state/acting.ts";
import type { MachineInput, UserEvent } from "./state/event.ts";

/** Creates a machine user. */
export function addMachineUser(given: MachineInput): UserDecision {
  const input = { ...given, userName: given.userName.trim() };
  const payload = { ...input, ...claimOf(input.userName) };
  return accept({ user: [{ type: "user.machine.added", payload }] });
}

/** The events of the first user of an instance: a machine that owns it. */
export function setUpOwner(input: {
  readonly userName: string;
  readonly name: string;
  readonly token: string;
  readonly tokenHash: string;
}): readonly UserEvent[] {
  const { userName, name, token, tokenHash } = input;
  return [
    {
      type: "user.machine.added",
      payload: { userName, name, description: "", accessTokenType: "BEARER" },
    },
    {
      type: "user.membership.granted",
      payload: { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
    },
    { type: "user.token.added", payload: { tokenId: token, tokenHash } },
  ];
}
