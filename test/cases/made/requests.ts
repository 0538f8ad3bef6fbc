import {
  type DescMethod,
  type DescMethodUnary,
  getOption,
  type JsonObject,
} from "@bufbuild/protobuf";
import { access } from "../../../gen/iam/v1/access_pb.js";
import type { RequestIds } from "../../access/given.ts";
import { type Operation, rowOf } from "../../access/operation.ts";
import { operations } from "../../access/operations.ts";
import { methods } from "../../harness/contract.ts";

/** The valid requests of which rows are made, for every method that answers once. */

const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === "unary";
const isPublic = (method: DescMethod) => getOption(method, access).permission === "public";

/** Ids that nothing has. */
export const noIds: RequestIds = Object.fromEntries(
  ["project", "app", "key", "user", "token", "idp", "action", "group"].map((kind) => [
    kind,
    "unknown",
  ]),
);

/** Methods that ask for a token, with what is known of who may call them. */
export const guarded = methods
  .filter(isUnary)
  .filter((method) => !isPublic(method))
  .map((method) => ({ method, operation: operations[rowOf(method)] as Operation }));

const account = { userId: "unknown", code: "unknown" };
const registration = { id: "a", clientDataJson: "a", attestationObject: "a" };
/** Valid requests of what is for everybody, where the smallest is none. */
const open: { readonly [name: string]: JsonObject } = {
  FinishPasskey: { ...account, codeId: "unknown", registration },
};

/** Every method with a valid request; where none is said, the contract's smallest will do. */
export const all: readonly {
  readonly method: DescMethodUnary;
  readonly request: JsonObject | undefined;
}[] = [
  ...guarded.map(({ method, operation }) => ({
    method,
    request: operation.request(noIds) as JsonObject,
  })),
  ...methods
    .filter(isUnary)
    .filter(isPublic)
    .map((method) => ({ method, request: open[method.name] })),
];
