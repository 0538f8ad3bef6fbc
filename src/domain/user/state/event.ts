import type { NameClaim } from "../../name.ts";
import type { EventsOf, Nothing } from "../../noun.ts";
import { type ErasureEvent, erasureEvents } from "./asked-erasure.ts";
import type { RolesRemoved } from "./beyond.ts";
import type { Token } from "./credential.ts";
import type { Credential } from "./credential-name.ts";
import type { CredentialEvent } from "./credential-state.ts";
import { emailRequestEvents } from "./email-request.ts";
import { factorEvents } from "./factor.ts";
import type { RolesGiven } from "./held-roles.ts";
import { type HumanEvent, humanEvents } from "./human-state.ts";
import { type JoinedEvent, joinedEvents } from "./joined.ts";
import { type LoginEvent, loginEvents } from "./login-event.ts";
import { type MachineEntryEvent, machineEntryEvents } from "./machine-entry.ts";
import type { Via } from "./made.ts";

/** A user: a machine or a person, with its personal access tokens and its memberships. */
export type UserEvent =
  | EventsOf<Payloads>
  | MachineEntryEvent
  | RolesGiven
  | RolesRemoved
  | JoinedEvent
  | ErasureEvent
  | HumanEvent
  | CredentialEvent
  | LoginEvent;

interface Payloads {
  readonly "user.machine.added": MachineInput & NameClaim;
  readonly "user.machine.changed": Omit<MachineInput, "userName">;
  readonly "user.name.changed": Pick<MachineInput, "userName"> & NameClaim;
  readonly "user.token.added": { readonly tokenId: string } & Token & Via;
  readonly "user.token.recovered": { readonly tokenId: string } & Token;
  readonly "user.token.removed": { readonly tokenId: string };
  readonly "user.credentials.voided": { readonly voided: readonly Credential[] };
  readonly "user.deactivated": Nothing;
  readonly "user.reactivated": Nothing;
  readonly "user.locked": Nothing;
  readonly "user.unlocked": Nothing;
  readonly "user.removed": Nothing;
  readonly "user.erased": { readonly reason: string };
}

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
  "user.membership.removed":
    "The user lost its roles in one scope, alone or with a project that was removed",
  "user.memberships.removed":
    "The user lost its roles in an organization that was removed, and in all projects there",
  "user.credentials.voided":
    "The user now outranks the creators of these credentials, or registered and took the account " +
    "over, so they were voided. If a password or passkey was among them, its sessions and tokens " +
    "ended",
  "user.deactivated":
    "The user was deactivated: its tokens are refused, and links ended with what came from logins",
  "user.reactivated": "It was reactivated",
  "user.locked":
    "An administrator locked the user: its tokens are refused, and links ended with what came " +
    "from logins",
  "user.unlocked": "An administrator ended that lock",
  "user.removed": "The user was removed together with its tokens, links, memberships and metadata",
  "user.erased": "What the events of the removed user had said was erased",
  ...joinedEvents,
  ...erasureEvents,
  ...humanEvents,
  ...factorEvents,
  ...emailRequestEvents,
  ...loginEvents,
};
