import {
  type DescMethodUnary,
  fromJson,
  getOption,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { access } from "../../../gen/iam/v1/access_pb.js";
import { type Case, type Prepared, runCases, type World } from "../../harness/cases.ts";
import { givenUser } from "../../harness/server.ts";
import { guarded, noIds } from "./requests.ts";

// Rows that the contract makes, for every method that is not for everybody: who may not call it is
// told that, and nothing of what is asked for.

type Caller = Omit<Prepared, "request">;
const unauthenticated = { code: 16, reason: "UNAUTHENTICATED" };
const denied = { code: 7, reason: "PERMISSION_DENIED" };

/** Callers whom every method refuses. */
const strangers: { readonly [name: string]: (world: World) => Caller | Promise<Caller> } = {
  "a caller without a token": () => ({ token: "", expected: unauthenticated }),
  "a token that nobody has": ({ unique }) => ({ token: unique, expected: unauthenticated }),
};

/** Those whom every method refuses that needs a permission. */
const callers: typeof strangers = {
  ...strangers,
  "a caller without a role": async ({ server }) => ({
    token: (await givenUser(server, server.admin.organization)).token,
    expected: denied,
  }),
};

/** Headers that every method refuses in which the header chooses the organization. */
const headers: typeof callers = {
  "an unknown organization": ({ unique }) => ({
    headers: { "x-service-orgid": unique },
    expected: denied,
  }),
  "two organizations": ({ server, unique }) => ({
    headers: { "x-service-orgid": `${server.admin.organization}, ${unique}` },
    expected: { code: 3, reason: "ORGANIZATION_HEADER_REPEATED" },
  }),
};

function rowsOf(method: DescMethodUnary, request: JsonValue): readonly Case[] {
  const { permission, ownerPermission, organizationHeader } = getOption(method, access);
  const isForAnybody = permission === "authenticated" && ownerPermission === "";
  const some = isForAnybody ? strangers : callers;
  const all = organizationHeader ? { ...some, ...headers } : some;
  return Object.entries(all).map(([name, callerOf]) => ({
    name: `${method.name} refuses ${name}`,
    method,
    run: async (world) => ({
      ...(await callerOf(world)),
      request: fromJson(method.input, request) as Message,
    }),
  }));
}

runCases(
  "callers",
  guarded.flatMap(({ method, operation }) => rowsOf(method, operation.request(noIds) as JsonValue)),
);
