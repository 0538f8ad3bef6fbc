import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import type { ConnectError, HandlerContext } from "@connectrpc/connect";
import { access } from "../../gen/iam/v1/access_pb.js";
import { type Call, type Caller, callKey } from "../api/call.ts";
import { holds, holdsSomewhere, isPermission, type Permission } from "../domain/permission.ts";
import type { Store } from "../store/store.ts";
import { callerOf, organizationExists } from "./caller.ts";
import { failure } from "./errors.ts";
import { recordKey } from "./record.ts";

/** The header that makes a call act on another organization than the caller's own. */
export const organizationHeader = "x-service-orgid";

/** What a method's access option asks for, read once. */
export type Rule =
  /** Interfaces of others, such as health and reflection, ask for nothing. */
  { readonly kind: "open" } | { readonly kind: "authenticated" } | PermissionRule;

interface PermissionRule {
  readonly kind: "permission";
  readonly permission: Permission;
  /** Whether `x-service-orgid` chooses the organization. */
  readonly organizationHeader: boolean;
  /** The request's property with the id of the project whose roles count too. */
  readonly projectField: string | undefined;
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
 * Throws where a method of ours declares no access or asks for a permission that does not exist.
 */
export function ruleOf(method: DescMethod): Rule {
  if (!hasOption(method, access)) {
    if (method.parent.typeName.startsWith("grpc.")) return { kind: "open" };
    throw new TypeError(`${method.parent.typeName}.${method.name} declares no access`);
  }
  const declared = getOption(method, access);
  if (declared.permission === "authenticated") return { kind: "authenticated" };
  if (!isPermission(declared.permission)) {
    throw new TypeError(`${method.name} asks for the unknown permission ${declared.permission}`);
  }
  const { permission, organizationHeader, projectField } = declared;
  const field = method.input.fields.find(({ name }) => name === projectField);
  return { kind: "permission", permission, organizationHeader, projectField: field?.localName };
}

/** Throws a refusal, or leaves the call in the context's values. */
export type Gate = (context: HandlerContext, rule: Rule) => Promise<void>;

/**
 * Decides, before the body is read, whether the caller may call the method at all: who it is, which
 * organization it acts on, and whether it holds the permission in a scope that could apply. Which
 * object the call is about is not known yet.
 */
export function createGate(store: Store, now: () => number): Gate {
  return async (context, rule) => {
    if (rule.kind === "open") return;
    const header = context.requestHeader;
    const caller = await callerOf(header.get("authorization"), store, now());
    const call: Call = {
      caller,
      organization: organizationOf(rule, caller, header),
      acceptLanguage: header.get("accept-language") ?? "",
    };
    const record = context.values.get(recordKey);
    if (record !== undefined) record.call = call;

    if (!mayCall(rule, call)) throw denied();
    if (call.organization !== caller.organization) {
      // Who holds the permission everywhere learns no more about organizations than anyone else.
      if (!(await organizationExists(call.organization, store))) throw denied();
    }
    context.values.set(callKey, call);
  };
}

/**
 * Decides, once the message is read, about a call that a role on a project let through the gate:
 * that role counts for its own project only, whether or not the other one exists.
 */
export function checkProject(rule: Rule, call: Call, message: object): void {
  if (rule.kind !== "permission" || rule.projectField === undefined) return;
  const { organization, caller } = call;
  const project = String((message as { readonly [field: string]: unknown })[rule.projectField]);
  const scope = { level: "project", organization, project } as const;
  if (!holds(caller.memberships, rule.permission, scope)) throw denied();
}

function mayCall(rule: Rule, { caller, organization }: Call): boolean {
  if (rule.kind !== "permission") return true;
  const { permission, projectField } = rule;
  return projectField === undefined
    ? holds(caller.memberships, permission, { level: "organization", organization })
    : holdsSomewhere(caller.memberships, permission, organization);
}

function organizationOf(rule: Rule, caller: Caller, header: Headers): string {
  if (rule.kind !== "permission" || !rule.organizationHeader) return caller.organization;
  const given = header.get(organizationHeader)?.trim() ?? "";
  // Repeated headers arrive joined by commas, which no id contains.
  if (given.includes(",")) {
    throw failure({
      reason: "ORGANIZATION_HEADER_REPEATED",
      message: `Send ${organizationHeader} once, with one organization id.`,
    });
  }
  return given === "" ? caller.organization : given;
}

function denied(): ConnectError {
  return failure({
    reason: "PERMISSION_DENIED",
    message: "The caller does not hold the permission that this method needs.",
  });
}
