import {
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { access } from "../../../gen/iam/v1/access_pb.js";
import { isPermission, type Permission } from "../../domain/permission.ts";

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
  /** Whether that organization may be inactive. */
  readonly inactiveOrganization: boolean;
  /** Whether that may be removed, for callers who hold the permission in the instance. */
  readonly removedOrganization: boolean;
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
  const { inactiveOrganization, removedOrganization } = declared;
  if (declared.ownerPermission !== "" && !isPermission(declared.ownerPermission)) {
    throw new TypeError(`${method.name} asks owners for the unknown ${declared.ownerPermission}`);
  }
  const ownerPermission = declared.ownerPermission === "" ? undefined : declared.ownerPermission;
  if (permission === "authenticated") return { kind: "authenticated", ownerPermission };
  if (!isPermission(permission)) {
    throw new TypeError(`${method.name} asks for the unknown permission ${permission}`);
  }
  const projectField = fieldOf(method);
  return {
    ...{ kind: "permission", permission, organizationHeader },
    ...{ inactiveOrganization, removedOrganization, projectField, ownerPermission },
  };
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
