import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { access } from "../../gen/iam/v1/access_pb.js";
import type { Role } from "../../src/domain/permission.ts";
import { methods } from "../harness/contract.ts";
import type { Given, RequestIds } from "./given.ts";
import type { ObjectKind } from "./objects.ts";

/** Who may call what, with what, and what comes of it: see `operations.ts`. */
export interface Operation {
  /** What the contract declares; where owners need less, theirs stands behind it. */
  readonly permission: string;
  /** Whether `x-service-orgid` chooses the organization. */
  readonly header: boolean;
  /** Whether a role counts wherever it is held, because the object says where it lies. */
  readonly anywhere: boolean;
  /** Who passes. */
  readonly roles: readonly Role[];
  /** The kinds of ids in the request, in the order in which they are looked at. */
  readonly objects: readonly ObjectKind[];
  /** The smallest valid request with these ids, and with names that nothing else has. */
  readonly request: (ids: RequestIds) => object;
  /** The events that are left. */
  readonly events: readonly string[];
  /** Makes what an accepted call acts on, in the state that it needs. */
  readonly given?: Given;
  /** What a call comes to that the gate lets through; left out, "OK". */
  readonly passing?: (role: Role, target: string) => string;
  /** Undoes what an accepted call did to what is there all the time. */
  readonly undo?: Given;
  /** Whose objects the answer shows: where nothing is said, those of the owner of the object. */
  readonly shows?: Shown;
}

/** The name of a method's row: with that of its service where another has a method of this name. */
export function rowOf({ name, parent }: DescMethod): string {
  const ofName = guarded.filter((method) => method.name === name);
  return ofName.length > 1 ? `${parent.name}.${name}` : name;
}

const guarded = methods.filter((method) => getOption(method, access).permission !== "public");

/**
 * Those of the organization of the call, of it and of one who has providers that serve everybody,
 * of all organizations, or of none.
 */
export type Shown = "target" | "served" | "all" | "nothing";

type Row = readonly [
  permission: string,
  roles: readonly Role[],
  objects: readonly ObjectKind[],
  request: (ids: RequestIds) => object,
  events?: readonly string[],
  given?: Given | undefined,
];

/** An operation in the organization that the header chooses. */
export function inOrg(
  ...[permission, roles, objects, request, events = [], given]: Row
): Operation {
  const row = { permission, roles, objects, request, events, header: true, anywhere: false };
  return given ? { ...row, given } : row;
}

/** An operation of the whole instance, without organization header. */
export function ofAll(...row: Row): Operation {
  return { ...inOrg(...row), header: false };
}

/** An operation without organization header, about an object that says itself where it lies. */
export function anywhere(...row: Row): Operation {
  return { ...ofAll(...row), anywhere: true };
}

/** The same operation, whose answer shows the objects of these. */
export function shows(shown: Shown, operation: Operation): Operation {
  return { ...operation, shows: shown };
}
