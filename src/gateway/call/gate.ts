import type { ConnectError } from "@connectrpc/connect";
import { type Call as AdmittedCall, callKey } from "../../api/call.ts";
import { rejectPermission } from "../../domain/admission.ts";
import { rejectionFor } from "../../domain/decision.ts";
import {
  holds,
  holdsAnywhere,
  holdsSomewhere,
  isForReading,
  type Permission,
} from "../../domain/permission.ts";
import type { ShownKey } from "../../secrets/answer-seal.ts";
import { type Call, type HeaderFields, knownCallKey } from "./call.ts";
import { type Callers, type KnownCaller, tokenIn } from "./caller.ts";
import { failure } from "./errors.ts";
import { idempotencyHeader, idempotencyKeyIn } from "./idempotency.ts";
import type { Rule } from "./rule.ts";

/** The header that makes a call act on another organization than the caller's own. */
export const organizationHeader = "x-service-orgid";

/** Decides who may call what; its steps reject with the refusal. */
export interface Gate {
  /**
   * Decides, before the body is read, whether the caller may call the method at all: who it is,
   * which organization it acts on, and whether it holds the permission in a scope that could apply.
   * Which object the call is about is not known yet. Leaves what it admits in the call's values.
   */
  enter(call: Call): Promise<void>;
  /**
   * Decides the same again when the message is there, because senders may take their time with it
   * and a call must not outlive the token that it came with. A role on one project that let the
   * caller enter is refused here for every other project, whether or not that one exists.
   */
  confirm(call: Call): Promise<void>;
  /**
   * Repeats on the row the step that let the caller in as it was seen last. It is called before a
   * call is refused: nobody is told anything because of what was seen.
   */
  recheck(call: Call): Promise<void>;
}

/** Makes the gate that reads the row of the caller each time. */
export function createGate(callers: Callers): Gate {
  const callerOf = (call: Call) => callers.of(authorizationOf(call));
  return {
    async enter(call) {
      if (call.rule.kind === "open") return;
      await admit(call, await callerOf(call), callers, callers.organization);
    },
    async confirm(call) {
      if (call.rule.kind === "open") return;
      const caller = await callerOf(call);
      const admitted = await admit(call, caller, callers, callers.organization, call.message);
      if (!holdsNeeded(admitted)) throw denied(call.rule, admitted);
    },
    recheck: async () => {},
  };
}

/**
 * Makes a gate that admits on cached state. Commands are checked again by their append, reads by
 * `confirm`. It never refuses: before a refusal, the gate that it is given reads the row.
 */
export function createQuickGate(callers: Callers, gate: Gate): Gate {
  async function isAdmitted(call: Call): Promise<boolean> {
    const caller = callers.seen(authorizationOf(call));
    if (caller === undefined) return false;
    const { rule } = call;
    // What may be done once it was removed, the append would refuse as done before that.
    const isForRemoved = rule.kind === "permission" && rule.removedOrganization;
    const organizationOf = isForRemoved ? callers.organization : callers.seenOrganization;
    return await admit(call, caller, callers, organizationOf).then(
      () => true,
      () => false,
    );
  }
  return {
    async enter(call) {
      if (call.rule.kind === "open") return;
      if (await isAdmitted(call)) call.seenBy = "enter";
      else await gate.enter(call);
    },
    async confirm(call) {
      if (call.rule.kind === "open") return;
      call.seenBy = isChange(call.rule) && isConfirmed(call) ? "confirm" : undefined;
      if (call.seenBy === undefined) await gate.confirm(call);
    },
    async recheck(call) {
      if (call.seenBy !== undefined) await gate[call.seenBy](call);
    },
  };
}

/**
 * Whether the call that was admitted is the caller's to make with its message; then the append
 * checks what that needs. Who showed an access token is looked at each time.
 */
function isConfirmed({ rule, values, message }: Call): boolean {
  const admitted = values.get(callKey);
  if (admitted?.admission.shown.kind !== "personal") return false;
  const needs = admitted.isForRemoved ? {} : needsOf(rule, admitted.organization, message);
  const call = { ...admitted, admission: { ...admitted.admission, ...needs } };
  if (!holdsNeeded(call)) return false;
  values.set(callKey, call);
  return true;
}

function authorizationOf({ header }: Call): string | null {
  return header.get("authorization");
}

/** Whether the method changes something or fails: it answers nothing that it has not appended. */
function isChange(rule: Rule): boolean {
  return rule.kind === "permission" && !isForReading(rule.permission);
}

/** What the caller may call; left in the call's values, too. Throws the refusal. */
async function admit(
  { header, values, rule }: Call,
  { shown, ...caller }: KnownCaller,
  callers: Callers,
  organizationOf: Callers["organization"],
  message?: object,
): Promise<AdmittedCall> {
  const confirmAccess = async () => void (await callers.of(header.get("authorization")));
  const chosen = chosenOrganization(rule, header);
  const organization = chosen ?? caller.organization;
  const chosenBy = chosen === undefined ? {} : { chosenBy: organizationHeader };
  const call: AdmittedCall = {
    caller,
    organization,
    isForInactive: rule.kind === "permission" && rule.inactiveOrganization,
    admission: { shown, ...needsOf(rule, organization, message), ...chosenBy },
    permission: rule.kind === "permission" ? rule.permission : undefined,
    ownerPermission: rule.kind === "open" ? undefined : rule.ownerPermission,
    acceptLanguage: header.get("accept-language") ?? "",
    ...(shown.kind === "personal" ? {} : { confirmAccess }),
  };
  values.set(knownCallKey, call);
  if (!mayCall(rule, call)) throw denied(rule, call);
  const standing = await standingFor(call, rule, organizationOf);
  const shownKey = shownKeyIn(header, rule);
  const admitted = { ...call, ...standing, ...(shownKey === undefined ? {} : { shownKey }) };
  values.set(callKey, admitted);
  return admitted;
}

/** What follows from how the organization stands that the call chose. Throws the refusal. */
async function standingFor(
  call: AdmittedCall,
  rule: Rule,
  organizationOf: Callers["organization"],
): Promise<Pick<AdmittedCall, "isForRemoved" | "admission">> {
  const { admission, caller, organization } = call;
  if (organization === caller.organization) return { admission };
  // A caller who holds the permission everywhere learns no more about organizations than others.
  const found = await organizationOf(organization);
  if (found === undefined) throw denied(rule, call);
  if (found === "removed") {
    const needs = rule.kind === "permission" && rule.removedOrganization && needsInInstance(rule);
    // A role in what was removed is none.
    if (!needs || !holdsNeeded({ ...call, admission: { ...admission, needs } })) {
      throw denied(rule, call);
    }
    return { isForRemoved: true, admission: { ...admission, needs } };
  }
  if (found.isInactive && !call.isForInactive) throw failure(rejectionFor("ORGANIZATION_INACTIVE"));
  return { admission };
}

/** The idempotency key of a call that does something. Throws where it is no such key. */
function shownKeyIn(header: HeaderFields, rule: Rule): ShownKey | undefined {
  const given = header.get(idempotencyHeader);
  if (given === null || (rule.kind === "permission" && !isChange(rule))) return undefined;
  return idempotencyKeyIn(given, tokenIn(header.get("authorization")) ?? "");
}

function holdsNeeded({ caller, admission: { needs } }: AdmittedCall): boolean {
  return needs === undefined || holds(caller.memberships, needs.permission, needs.scope);
}

/**
 * What the caller must still hold when something is decided. Where the project in the message
 * counts, that is known with the message; where owners need less, the decision finds it out.
 */
function needsOf(rule: Rule, organization: string, message: object | undefined) {
  if (rule.kind !== "permission" || rule.ownerPermission !== undefined) return {};
  const { permission, projectField } = rule;
  if (projectField === undefined) {
    return { needs: { permission, scope: { level: "organization", organization } as const } };
  }
  if (message === undefined) return {};
  const project = String((message as { readonly [field: string]: unknown })[projectField]);
  return { needs: { permission, scope: { level: "project", organization, project } as const } };
}

function needsInInstance({ permission }: { readonly permission: Permission }) {
  return { permission, scope: { level: "instance" } as const };
}

function mayCall(rule: Rule, { caller, organization }: AdmittedCall): boolean {
  if (rule.kind !== "permission") return true;
  const { permission, projectField, ownerPermission } = rule;
  if (ownerPermission !== undefined && holdsAnywhere(caller.memberships, ownerPermission)) {
    return true;
  }
  return projectField === undefined
    ? holds(caller.memberships, permission, { level: "organization", organization })
    : holdsSomewhere(caller.memberships, permission, organization);
}

/** The organization that the header chooses; undefined where the caller's own is meant. */
function chosenOrganization(rule: Rule, header: HeaderFields): string | undefined {
  if (rule.kind !== "permission" || !rule.organizationHeader) return undefined;
  const given = header.get(organizationHeader)?.trim() ?? "";
  // Repeated headers arrive joined by commas, which no id contains.
  if (given.includes(",")) {
    throw failure({
      reason: "ORGANIZATION_HEADER_REPEATED",
      message: `Send ${organizationHeader} once, with one organization id.`,
    });
  }
  return given === "" ? undefined : given;
}

function denied(rule: Rule, { admission: { chosenBy } }: AdmittedCall): ConnectError {
  if (rule.kind !== "permission") throw new TypeError("only permissions can be missing");
  const { permission, ownerPermission } = rule;
  const needed =
    ownerPermission === undefined
      ? permission
      : `${permission} (or ${ownerPermission} where the object lies)`;
  return failure(rejectPermission(needed, chosenBy));
}
