import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromJson,
  getOption,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import { operations } from "../access/operations.ts";
import { limitsOf, smallest } from "../harness/boundaries.ts";
import { type Case, runCases } from "../harness/cases.ts";
import { clientNames } from "../harness/clients.ts";
import { methods } from "../harness/contract.ts";

// Rows that the contract makes: each limit that it states is told of by its field, through every
// client. A request is the smallest that is accepted, with one value past its limit.

/** A request with one value past its limit, and the field as refusals name it. */
interface Broken {
  readonly path: string;
  readonly rule: string;
  readonly request: JsonObject;
}

/** Those of a message, and of the messages that are in it. */
function brokenOf(message: DescMessage, good: JsonObject): readonly Broken[] {
  // Entries of lists have rules of the domain as well, which the first of two breaks.
  const limits = limitsOf(message).filter(({ at }) => at === "");
  const own = limits.map(({ field, rule, bad }): Broken => {
    const gone = (bad === undefined ? field.oneof?.fields : undefined) ?? [field];
    const names = gone.map(({ jsonName }) => jsonName);
    const others = Object.entries(good).filter(([name]) => !names.includes(name));
    const broken = bad === undefined ? [] : [[field.jsonName, bad] as const];
    const request = Object.fromEntries([...others, ...broken]);
    return { path: field.oneof?.name ?? field.name, rule, request };
  });
  return [...own, ...message.fields.flatMap((field) => innerOf(field, good))];
}

function innerOf({ message, name, jsonName }: DescField, good: JsonObject): readonly Broken[] {
  if (message === undefined) return [];
  if (name === "queries" && good[jsonName] === undefined) {
    return conditionsOf(message).flatMap((one) =>
      brokenOf(message, one).map(({ path, rule, request }) => ({
        path: `queries[0].${path}`,
        rule,
        request: { ...good, queries: [request] },
      })),
    );
  }
  const inner = good[jsonName];
  if (inner === undefined || inner === null || Array.isArray(inner)) return [];
  return brokenOf(message, inner as JsonObject).map(({ path, rule, request }) => ({
    path: `${name}.${path}`,
    rule,
    request: { ...good, [jsonName]: request },
  }));
}

/** One condition of each kind. */
function conditionsOf({ oneofs: [oneof] }: DescMessage): readonly JsonObject[] {
  return (oneof?.fields ?? []).flatMap(({ message, jsonName }) =>
    message === undefined ? [] : [{ [jsonName]: smallest(message) }],
  );
}

const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === "unary";

const ids = new Proxy({}, { get: () => "unknown" });

/** Of methods that nobody needs a token for: what their fields need besides limits. */
const open: { readonly [method: string]: JsonObject } = {
  FinishPasskey: {
    registration: { id: "aaaa", clientDataJson: "aaaa", attestationObject: "aaaa" },
  },
};

/** A request that the method accepts, as far as its fields alone decide. */
function goodOf(method: DescMethodUnary): JsonObject {
  return isOpen(method)
    ? { ...smallest(method.input), ...open[method.name] }
    : (operations[method.name]!.request(ids) as JsonObject);
}

const isOpen = (method: DescMethod) => getOption(method, access).permission === "public";

/** What breaks another rule at the same time, or is more than a body may be in long characters. */
const unclear = [
  "ListUsers refuses queries[0].and_query.queries past repeated.max_items",
  "ListUsers refuses queries[0].or_query.queries past repeated.max_items",
  "ImportHumanUser refuses idps past repeated.max_items",
  "FinishPasskey refuses registration.client_data_json past string.max_len",
  "FinishPasskey refuses registration.attestation_object past string.max_len",
];

function rowsOf(method: DescMethodUnary): readonly Case[] {
  const { pattern } = getOption(method, http);
  const rows = brokenOf(method.input, goodOf(method)).map(({ path, rule, request }) => {
    const isInPath = `${pattern.value}`.includes(`{${path}}`);
    const sent = encodeURIComponent(JSON.stringify(request)).length;
    return {
      name: `${method.name} refuses ${path} past ${rule}`,
      method,
      // Without an id it is another path, and one that is too long is refused for that.
      ...(isInPath && (rule === "string.min_len" || sent > pathMax) ? { only: noPath } : {}),
      async run() {
        return {
          request: fromJson(method.input, request) as Message,
          expected: { code: 3, reason: "INVALID_FIELDS", fields: [path] },
        };
      },
    };
  });
  return rows.filter(({ name }) => !unclear.includes(name));
}

const pathMax = 8_000;
const noPath: NonNullable<Case["only"]> = {
  clients: clientNames.filter((name) => name !== "rest"),
  because: "there is no such path",
};

runCases("limits", methods.filter(isUnary).flatMap(rowsOf));
