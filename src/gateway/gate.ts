import {
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import type { ConnectError, ContextValues } from "@connectrpc/connect";
import { access } from "../../gen/iam/v1/access_pb.js";
import { type Call, callKey } from "../api/call.ts";
import {
  holds,
  holdsAnywhere,
  holdsSomewhere,
  isForReading,
  isPermission,
  type Permission,
} from "../domain/permission.ts";
import { rejectPermission } from "../domain/user/admission.ts";
import type { ShownKey } from "../secrets/answer-seal.ts";
import { knownCallKey } from "./call-record.ts";
import { type Callers, type KnownCaller, tokenIn } from "./caller.ts";
import { failure } from "./errors.ts";
import { idempotencyHeader, idempotencyKeyIn } from "./idempotency.ts";

/** The header that makes a call act on another organization than the caller's own. */
export const organizationHeader = "x-service-orgid";

/** What a method's access option asks for, read once. */
export type Rule =
  /** Health and reflection ask for nothing, and what a code in the request lets in. */
  { readonly kind: "open" } | AuthenticatedRule | PermissionRule;

/** A valid token is enough to call the method; the decision judges the rest. */
interface AuthenticatedRule {
  readonly kind: "authenticated";
  /** What callers need in the organization that owns the object, unless it is their own. */
  readonly ownerPermission: Permission | undefined;
}

interface PermissionRule {
  readonly kind: "permission";
  readonly permission: Permission;
  /** Whether `x-service-orgid` chooses the organization. */
  readonly organizationHeader: boolean;
  /** The request's property with the id of the project whose roles count too. */
  readonly projectField: string | undefined;
  /**
   * The permission that suffices in the organization that owns the object. The decision finds out
   * which organization that is, and whether the caller holds it there.
   */
  readonly ownerPermission: Permission | undefined;
}

/** The rules of all methods served. */
export interface Rules {
  of(method: DescMethod): Rule;
}

export function rulesOf(services: readonly DescService[]): Rules {
  const methods = services.flatMap((service) => service.methods);
  const rules = new Map(methods.map((method) => [method, ruleOf(method)]));
  return {
    of(method) {
      const rule = rules.get(method);
      if (rule === undefined) throw new TypeError(`${method.name} is served without a rule`);
      return rule;
    },
  };
}

/**
 * Throws where a method of ours declares no access, or one that could not be enforced: an option
 * that does nothing would look like protection.
 */
export function ruleOf(method: DescMethod): Rule {
  if (!hasOption(method, access)) {
    if (method.parent.typeName.startsWith("grpc.")) return { kind: "open" };
    throw new TypeError(`${method.parent.typeName}.${method.name} declares no access`);
  }
  const declared = getOption(method, access);
  if (declared.permission === "public") return { kind: "open" };
  const { permission, organizationHeader } = declared;
  if (declared.ownerPermission !== "" && !isPermission(declared.ownerPermission)) {
    throw new TypeError(`${method.name} asks owners for the unknown ${declared.ownerPermission}`);
  }
  const ownerPermission = declared.ownerPermission === "" ? undefined : declared.ownerPermission;
  if (permission === "authenticated") return { kind: "authenticated", ownerPermission };
  if (!isPermission(permission)) {
    throw new TypeError(`${method.name} asks for the unknown permission ${permission}`);
  }
  const projectField = fieldOf(method);
  return { kind: "permission", permission, organizationHeader, projectField, ownerPermission };
}

/** The property that holds the project's id; undefined where roles on projects do not count. */
function fieldOf(method: DescMethod): string | undefined {
  const { projectField } = getOption(method, access);
  if (projectField === "") return undefined;
  const field = method.input.fields.find(({ name }) => name === projectField);
  if (field?.scalar !== ScalarType.STRING || field.fieldKind !== "scalar") {
    throw new TypeError(`the access of ${method.name} names no text field ${projectField}`);
  }
  return field.localName;
}

/** Decides who may call what; its steps throw the refusal. */
export interface Gate {
  /**
   * Decides, before the body is read, whether the caller may call the method at all: who it is,
   * which organization it acts on, and whether it holds the permission in a scope that could apply.
   * Which object the call is about is not known yet. Leaves the call in the context's values.
   */
  enter(request: ArrivedRequest, rule: Rule): Promise<void>;
  /**
   * Decides the same anew when the message is there, because senders may take their time with it
   * and a call must not outlive the token that it came with. What a role on a project let through
   * is refused for any other project, whether or not that one exists.
   */
  confirm(request: ReadRequest, rule: Rule): Promise<void>;
}

/** A request of which only the header is known. */
export interface ArrivedRequest {
  readonly header: HeaderFields;
  readonly values: ContextValues;
}

/** A request whose message has been read. */
export interface ReadRequest extends ArrivedRequest {
  readonly message: object;
}

/** Header fields by their names in lower case; null for those that are not there. */
export type HeaderFields = Pick<Headers, "get">;

/** Makes the gate that looks at the rows of callers each time. */
export function createGate(callers: Callers): Gate {
  return {
    async enter(request, rule) {
      if (rule.kind === "open") return;
      await admit(request, rule, await callers.of(authorizationOf(request)), callers);
    },
    async confirm(request, rule) {
      if (rule.kind === "open") return;
      const caller = await callers.of(authorizationOf(request));
      judgeMessage(await admit(request, rule, caller, callers), rule);
    },
  };
}

/**
 * Makes the gate that admits on cached state. Commands are checked again by their append, reads by
 * `confirm`. It never refuses: before refusing, ask the gate above, which reads the row.
 */
export function createQuickGate(callers: Callers, gate: Gate): Gate {
  async function judge(request: ArrivedRequest & Partial<ReadRequest>, rule: Rule) {
    const entered = request.values.get(callKey);
    const caller = entered
      ? callers.seenAs(entered.admission.shown)
      : callers.seen(authorizationOf(request));
    if (caller === undefined) return false;
    try {
      const call = await admit(request, rule, caller, callers);
      if (request.message !== undefined) judgeMessage(call, rule);
      return true;
    } catch {
      return false;
    }
  }
  return {
    async enter(request, rule) {
      if (rule.kind === "open" || (await judge(request, rule))) return;
      await gate.enter(request, rule);
    },
    async confirm(request, rule) {
      if (rule.kind === "open" || (isChange(rule) && (await judge(request, rule)))) return;
      await gate.confirm(request, rule);
    },
  };
}

function authorizationOf({ header }: ArrivedRequest): string | null {
  return header.get("authorization");
}

/** Whether the method changes something or fails: it answers nothing that it has not appended. */
function isChange(rule: Rule): boolean {
  return rule.kind === "permission" && !isForReading(rule.permission);
}

/** The call that the caller may make; left in the context's values, too. Throws the refusal. */
async function admit(
  { header, values, message }: ArrivedRequest & Partial<ReadRequest>,
  rule: Rule,
  { shown, ...caller }: KnownCaller,
  callers: Callers,
): Promise<Call> {
  const chosen = chosenOrganization(rule, header);
  const organization = chosen ?? caller.organization;
  const chosenBy = chosen === undefined ? {} : { chosenBy: organizationHeader };
  const call: Call = {
    caller,
    organization,
    admission: { shown, ...needsOf(rule, organization, message), ...chosenBy },
    permission: rule.kind === "permission" ? rule.permission : undefined,
    ownerPermission: rule.kind === "open" ? undefined : rule.ownerPermission,
    acceptLanguage: header.get("accept-language") ?? "",
    ...(shown.kind === "personal" ? {} : { confirmAccess: () => confirmAccess(header, callers) }),
  };
  values.set(knownCallKey, call);
  if (!mayCall(rule, call)) throw denied(rule, call);
  if (call.organization !== caller.organization) {
    // A caller who holds the permission everywhere learns no more about organizations than others.
    if (!(await callers.hasOrganization(call.organization))) throw denied(rule, call);
  }
  const shownKey = shownKeyIn(header, rule);
  const admitted = shownKey === undefined ? call : { ...call, shownKey };
  values.set(callKey, admitted);
  return admitted;
}

async function confirmAccess(header: HeaderFields, callers: Callers): Promise<void> {
  await callers.of(header.get("authorization"));
}

/** The idempotency key of a call that does something. Throws where it is no such key. */
function shownKeyIn(header: HeaderFields, rule: Rule): ShownKey | undefined {
  const given = header.get(idempotencyHeader);
  if (given === null || (rule.kind === "permission" && !isChange(rule))) return undefined;
  return idempotencyKeyIn(given, tokenIn(header.get("authorization")) ?? "");
}

/** Throws the refusal where what the message adds is not the caller's to do. */
function judgeMessage(call: Call, rule: Rule): void {
  const { needs } = call.admission;
  if (needs && !holds(call.caller.memberships, needs.permission, needs.scope)) {
    throw denied(rule, call);
  }
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

function mayCall(rule: Rule, { caller, organization }: Call): boolean {
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

function denied(rule: Rule, { admission: { chosenBy } }: Call): ConnectError {
  if (rule.kind !== "permission") throw new TypeError("only permissions can be missing");
  const { permission, ownerPermission } = rule;
  const needed =
    ownerPermission === undefined
      ? permission
      : `${permission} (or ${ownerPermission} where the object lies)`;
  return failure(rejectPermission(needed, chosenBy));
}
