import { type DescMethod, type DescMethodUnary, getOption, ScalarType } from "@bufbuild/protobuf";
import { access } from "../../gen/iam/v1/access_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { methods } from "../harness/contract.ts";

// Rows that the contract makes, for every method that is not for everybody: without a token nothing
// is done, and nothing is said of what is asked for.

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

runCases(
  "without a token",
  guarded.map((method) =>
    row(`${method.name} refuses a caller without a token`, method, () => ({
      request: requestOf(method),
      token: "",
      expected: { code: 16, reason: "UNAUTHENTICATED" },
    })),
  ),
);
