import type { NameClaim } from "../../name.ts";
import type { Nothing } from "../../noun.ts";
import { type ErasureEvent, erasureEvents } from "./asked-erasure.ts";
import type { RolesRemoved } from "./beyond.ts";
import type { Token } from "./credential.ts";
import type { Credential } from "./credential-name.ts";
import { type CredentialEvent, credentialEvents } from "./credential-state.ts";
import type { RolesGiven } from "./held-roles.ts";
import { type HumanEvent, humanEvents } from "./human-state.ts";
import { type JoinedEvent, joinedEvents } from "./joined.ts";
import { type LoginEvent, loginEvents } from "./login-event.ts";
import { type MachineEntryEvent, machineEntryEvents } from "./machine-entry.ts";
import type { Via } from "./made.ts";

/** A user: a machine or a person, with its personal access tokens and its memberships. */
export type UserEvent =
  | { readonly type: "user.machine.added"; readonly payload: MachineInput & NameClaim }
  | { readonly type: "user.machine.changed"; readonly payload: Omit<MachineInput, "userName"> }
  | {
      readonly type: "user.name.changed";
      readonly payload: Pick<MachineInput, "userName"> & NameClaim;
    }
  | MachineEntryEvent
  | {
      readonly type: "user.token.added";
      readonly payload: { readonly tokenId: string } & Token & Via;
    }
  | {
      readonly type: "user.token.recovered";
      readonly payload: { readonly tokenId: string } & Token;
    }
  | { readonly type: "user.token.removed"; readonly payload: { readonly tokenId: string } }
  | RolesGiven
  | RolesRemoved
  | JoinedEvent
  | {
      readonly type: "user.credentials.voided";
      readonly payload: { readonly voided: readonly Credential[] };
    }
  | {
      readonly type:
        | "user.deactivated"
        | "user.reactivated"
        | "user.locked"
        | "user.unlocked"
        | "user.removed";
      readonly payload: Nothing;
    }
  | { readonly type: "user.erased"; readonly payload: { readonly reason: string } }
  | ErasureEvent
  | HumanEvent
  | CredentialEvent
  | LoginEvent;

/** A machine user as a caller describes it. */
export interface MachineInput {
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly accessTokenType: AccessTokenType;
}

/** The form of the access tokens that the user is issued. */
export type AccessTokenType = "BEARER" | "JWT";

/** The happening behind each event: see `Noun.events`. */
export const userEvents: { readonly [type in UserEvent["type"]]: string } = {
  "user.machine.added": "A machine user was created",
  "user.machine.changed": "Name, description and token type of the machine were replaced",
  "user.name.changed": "The user got another login name; the one before is free",
  ...machineEntryEvents,
  "user.token.added": "The user got a personal access token; its SHA-256 is stored",
  "user.token.recovered":
    "The user got a personal access token from the operator, without a check of permissions",
  "user.token.removed": "A personal access token was removed",
  "user.membership.granted":
    "The user got roles in the instance, an organization or a project. Unless the user " +
    "owned the instance, its consents ended, and so did sessions begun with credentials " +
    "that users with fewer rights created",
  "user.membership.changed":
    "The roles of the user in one scope were replaced. If it got one that it did not have there, " +
    "the same ended as if that had been granted",
  "user.membership.removed": "The user lost its roles in one scope",
  "user.memberships.removed":
    "The user lost its roles in an organization that was removed, and in all projects there",
  "user.credentials.voided":
    "The user now outranks the creators of these credentials, or registered and took the account " +
    "over, so they were voided. If a password or passkey was among them, its sessions and tokens " +
    "ended",
  "user.deactivated":
    "The user was deactivated: its tokens are refused, and what came from logins ended",
  "user.reactivated": "It was reactivated",
  "user.locked":
    "An administrator locked the user: its tokens are refused, and what came from logins ended",
  "user.unlocked": "An administrator ended that lock",
  "user.removed": "The user was removed together with its tokens, links, memberships and metadata",
  "user.erased": "What the events of the removed user had said was erased",
  ...joinedEvents,
  ...erasureEvents,
  ...humanEvents,
  ...credentialEvents,
  ...loginEvents,
};
