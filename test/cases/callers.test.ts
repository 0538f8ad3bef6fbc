import { type DescMethod, type DescMethodUnary, getOption, ScalarType } from "@bufbuild/protobuf";
import { access } from "../../gen/iam/v1/access_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { methods } from "../harness/contract.ts";
import { givenUser } from "../harness/server.ts";

// Rows that the contract makes, for every method that is not for everybody: without a token or a
// role nothing is done, and nothing is said of what is asked for.

const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === "unary";
const guarded = methods
  .filter(isUnary)
  .filter((method) => getOption(method, access).permission !== "public");

/** A request whose texts are all there, so that it has a path over REST. */
function requestOf({ input }: DescMethodUnary): { readonly [name: string]: string } {
  const texts = input.fields.filter(
    ({ scalar, fieldKind, oneof }) =>
      fieldKind === "scalar" && scalar === ScalarType.STRING && oneof === undefined,
  );
  return Object.fromEntries(texts.map(({ localName }) => [localName, "unknown"]));
}

const permissionOf = (method: DescMethod) => getOption(method, access).permission;

runCases("callers", [
  ...guarded.map((method) =>
    row(`${method.name} refuses a caller without a token`, method, () => ({
      request: requestOf(method),
      token: "",
      expected: { code: 16, reason: "UNAUTHENTICATED" },
    })),
  ),
  // What people may do for themselves is judged on whom it is for.
  ...guarded
    .filter((method) => permissionOf(method) !== "authenticated")
    .map((method) =>
      row(`${method.name} refuses a caller without a role`, method, async ({ server }) => ({
        request: requestOf(method),
        token: (await givenUser(server, server.admin.organization)).token,
        expected: { code: 7, reason: "PERMISSION_DENIED" },
      })),
    ),
]);
