import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Accessing } from "../domain/access.ts";
import { type Admission, judgeAdmission } from "../domain/admission.ts";
import { app } from "../domain/app/app.ts";
import { type Rejection, rejectionFor } from "../domain/decision.ts";
import { grant } from "../domain/grant.ts";
import { group } from "../domain/group.ts";
import type { Membership, Permission } from "../domain/permission.ts";
import { project } from "../domain/project.ts";
import { projectGrant } from "../domain/project-grant.ts";
import { role } from "../domain/role.ts";
import type { Via } from "../domain/user/state/made.ts";
import { user } from "../domain/user/state/user.ts";
import type { Remembering } from "../execute/command.ts";
import type { Reason } from "../reason.ts";
import type { ShownKey } from "../secrets/answer-seal.ts";

/** The caller, as its token said when the call came in. */
export interface Caller {
  readonly userId: string;
  /** The organization that the user belongs to. */
  readonly organization: string;
  readonly memberships: readonly Membership[];
  /** Who else has a hand in the token of the call, which records of what it makes. */
  readonly via?: readonly string[];
}

/** A call as the gate let it through to its handler. */
export interface Call {
  readonly caller: Caller;
  /** The token and the permission that let the caller in. */
  readonly admission: Admission;
  /** The permission that the contract says the method needs; undefined where a token is enough. */
  readonly permission: Permission | undefined;
  /** The permission that the contract says is enough where the object lies, if it names one. */
  readonly ownerPermission: Permission | undefined;
  /** The organization that the call acts on. */
  readonly organization: string;
  /** Whether the contract lets the method be called for an inactive organization. */
  readonly isForInactive: boolean;
  /** Whether it was removed, and the contract lets the method be called for such a one. */
  readonly isForRemoved?: boolean;
  /** The header `accept-language` as it was sent, or empty. */
  readonly acceptLanguage: string;
  /** The idempotency key of a call that changes something, if it has one. */
  readonly shownKey?: ShownKey;
  /** Checks the access token of the call again. Throws the refusal if not. */
  readonly confirmAccess?: () => Promise<void>;
}

/** The key under which the gate leaves the call for the handler. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "call" });

/**
 * The key that marks a call as reading only: opening a link is not a try, so a wrong code is
 * refused, but not counted. Only the service itself makes such calls.
 */
export const readingKey = createContextKey(false, { description: "reading" });

/** The key under which it stands how the end of the call is remembered. */
export const rememberingKey = createContextKey<Remembering | undefined>(undefined, {
  description: "remembering",
});

/** The key under which it stands at which sequence the caller expects what it changes. */
export const expectedKey = createContextKey<bigint | undefined>(undefined, {
  description: "expected",
});

/** The call a handler serves. The gate lets no call through without one. */
export function callOf(context: HandlerContext): Call {
  const call = context.values.get(callKey);
  if (call === undefined) throw new TypeError("the handler was reached past the gate");
  return call;
}

/** The permission that the contract says the method needs. Throws where it names none. */
export function permissionOf(context: HandlerContext): Permission {
  return assertDeclared(callOf(context).permission);
}

/** The permission that the contract says is enough where the object lies. Throws as above. */
export function ownerPermissionOf(context: HandlerContext): Permission {
  return assertDeclared(callOf(context).ownerPermission);
}

function assertDeclared(permission: Permission | undefined): Permission {
  if (permission === undefined) throw new TypeError("the method declares no such permission");
  return permission;
}

/** What the events of what the call makes for others record of its token. */
export function viaOfCall(context: HandlerContext): Via {
  const { via } = callOf(context).caller;
  return via === undefined ? {} : { via };
}

/**
 * The part of a command that says who gives it, what is judged again of the caller, at which
 * sequence it changes something, and whether its end is remembered.
 */
export function actorOf(context: HandlerContext) {
  const { caller, admission, organization, isForInactive, isForRemoved } = callOf(context);
  const { shown } = admission;
  const byApp = shown.kind === "application" ? shown : undefined;
  return {
    actor: caller.userId,
    through: byApp?.clientId,
    expectedPosition: context.values.get(expectedKey),
    remembering: context.values.get(rememberingKey),
    admission: {
      organization,
      isForInactive,
      ...(isForRemoved ? { isForRemoved } : {}),
      streams: {
        caller: { noun: user, id: caller.userId },
        // One role is enough, and another that the person may hold is not looked for.
        ...(byApp?.held && {
          grant: { noun: grant, id: byApp.held.grantId },
          role: { noun: role, id: byApp.held.roleId },
        }),
        ...(byApp?.held?.groupId && { group: { noun: group, id: byApp.held.groupId } }),
        ...(byApp?.projectGrantId && {
          projectGrant: { noun: projectGrant, id: byApp.projectGrantId },
        }),
        ...(byApp && {
          app: { noun: app, id: byApp.appId },
          project: { noun: project, id: byApp.projectId },
        }),
      },
      refusal: (states: object, nowMs: number) =>
        judgeAdmission(states as Accessing, admission, nowMs),
    },
  };
}

/**
 * Has the call need a permission in the instance as well, which is judged with whatever the handler
 * decides.
 */
export function needInInstance(context: HandlerContext, permission: Permission): void {
  const call = callOf(context);
  const needs = { permission, scope: { level: "instance" } as const };
  context.values.set(callKey, { ...call, admission: { shown: call.admission.shown, needs } });
}

/** Carries a refusal from a handler to the gateway, which answers it in the caller's protocol. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

/** Throws the refusal for a reason; a message of its own carries data: see `rejectionFor`. */
export function refuse(reason: Reason, message?: string): never {
  throw new Refused(rejectionFor(reason, message));
}
