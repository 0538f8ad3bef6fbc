import {
  type DescMethod,
  type DescMethodUnary,
  getOption,
  type JsonObject,
} from "@bufbuild/protobuf";
import { access } from "../../../gen/iam/v1/access_pb.js";
import {
  aMemberOfAll,
  anAction,
  anAppWithKey,
  aProject,
  aUser,
  type Given,
  type RequestIds,
} from "../../access/given.ts";
import { aGroup } from "../../access/given-groups.ts";
import { aProvider } from "../../access/given-providers.ts";
import type { ObjectKind } from "../../access/objects.ts";
import { type Operation, rowOf } from "../../access/operation.ts";
import { operations } from "../../access/operations.ts";
import type { World } from "../../harness/cases.ts";
import { methods } from "../../harness/contract.ts";
import { givenHuman } from "../users.ts";

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

/** How objects are made, and which id of the request they have. */
export const makers: { readonly [kind in ObjectKind]?: readonly [keyof RequestIds, Given] } = {
  project: ["project", aProject],
  joinedProject: ["project", aProject],
  app: ["app", anAppWithKey],
  key: ["key", anAppWithKey],
  user: ["user", aUser],
  member: ["user", aUser],
  person: ["user", aUser],
  joined: ["user", aMemberOfAll],
  token: ["token", aUser],
  idp: ["idp", aProvider],
  anyIDP: ["idp", aProvider],
  usableIDP: ["idp", aProvider],
  ownIDP: ["idp", aProvider],
  action: ["action", anAction],
  group: ["group", aGroup],
};

/** The ids of an object of each kind, in an organization and a project. */
export async function idsIn(
  { server }: World,
  organization: string,
  project: string,
  kinds: readonly ObjectKind[],
): Promise<RequestIds> {
  const place = { organization, target: organization, project, isServing: false };
  const ids: RequestIds = { project };
  for (const kind of kinds) {
    if (kind !== "project") Object.assign(ids, await makers[kind]?.[1](makerOn(server), place));
  }
  return ids;
}

/** Makes what a valid request of the operation acts on in a project, and the request. */
export async function requestOn(
  world: World,
  { given, objects, request }: Operation,
): Promise<JsonObject> {
  const { server } = world;
  const { organization } = server.admin;
  const ids = await idsIn(world, organization, world.project, objects);
  const { project = world.project } = ids;
  const place = { organization, target: organization, project, isServing: false };
  const made = await given?.(makerOn(server), place);
  return request({ ...noIds, ...ids, ...made }) as JsonObject;
}

function makerOn(server: World["server"]) {
  const givenPerson = async (owner: string) => ({ userId: await givenHuman(server, owner) });
  return { server, givenPerson };
}
