import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { AssetService } from "../../gen/iam/asset/v1/asset_service_pb.js";
import { AuthService } from "../../gen/iam/auth/v1/auth_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import { roles } from "../../src/domain/permission.ts";
import { isFull } from "../harness/extent.ts";
import { type Cell, cellsOf, ownerOf, projectIn, shownTo } from "./cell.ts";
import type { RequestIds } from "./given.ts";
import { bearer, type HttpAnswer } from "./http.ts";
import { rowOf } from "./operation.ts";
import { operations } from "./operations.ts";
import { holders } from "./place.ts";
import { type EventClient, eventClient, watchOnce } from "./stream.ts";
import { type AccessWorld, type GivenUser, organizationHeaders, startWorld } from "./world.ts";

// Every method, called by every role from everywhere, with every kind of organization header, about
// objects of everybody.

const across = "CVE-2026-32131, GHSA-cpf4-pmr4-w6cx, CVE-2025-14777, CVE-2025-27507";

const services = [
  ...[AdminService, AssetService, AuthService, EventService],
  ...[GroupService, ManagementService, UserService],
];
/** What no token has to do with: public.test.ts looks at it. */
const open = [AccountService];
const descriptors = new Map<string, DescMethod>(
  services.flatMap((service) => service.methods.map((method) => [rowOf(method), method])),
);

let world: AccessWorld;
let events: EventClient;
/** Users whom no accepted call changes; one of them is a member of every project. */
let bystanders: { readonly [name in "own" | "foreign" | "member"]: GivenUser };

/** Every body and status of a refusal, by its reason. */
const wordings = new Map<string, Set<string>>();

beforeAll(async () => {
  world = await startWorld();
  events = eventClient(world.server.url);
  const { own, foreign } = world.organizations;
  for (const organization of [own, foreign]) {
    const scope = world.scopeOf("instance");
    await world.givenPerson(organization, [{ scope, roles: ["IAM_OWNER_VIEWER"] }]);
  }
  bystanders = {
    own: await world.givenPerson(own),
    foreign: await world.givenPerson(foreign),
    member: await world.givenPerson(
      own,
      (["own-1", "own-2", "foreign-1"] as const).map((place) => ({
        scope: world.scopeOf(place),
        roles: ["PROJECT_OWNER"],
      })),
    ),
  };
});

afterAll(() => world.close());

test("every method has a row, which says what the contract declares", () => {
  const declared = [...descriptors].map(([name, method]) => {
    const { permission, ownerPermission, organizationHeader: header } = getOption(method, access);
    return [name, { permission: `${permission} ${ownerPermission}`.trim(), header }];
  });
  const rows = Object.entries(operations).map(([name, { permission, header }]) => [
    name,
    { permission, header },
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(declared));
});

test("every service of the contract is looked at", async () => {
  const files = await readdir(join(import.meta.dirname, "../../gen/iam"), { recursive: true });
  const declared = files
    .map((file) => basename(file))
    .filter((file) => /_service_pb\.js$/.test(file));
  const known = [...services, ...open].map(
    ({ name }) => `${name.replace("Service", "_service").toLowerCase()}_pb.js`,
  );
  expect(declared.sort()).toEqual(known.sort());
});

test("what is public is all of its service, and nothing of the others", () => {
  const isPublic = (method: DescMethod) => getOption(method, access).permission === "public";
  const every = [...services, ...open].flatMap(({ methods: all }) => all);
  expect(every.filter(isPublic)).toEqual(open.flatMap(({ methods: all }) => all));
});

test("every role is held by somebody", () => {
  const held = new Set(holders.map(([role]) => role));
  expect([...held].sort()).toEqual([...Object.keys(roles), "no role"].sort());
});

describe.each(holders)(`${across}: %s of %s`, (role, place) => {
  let caller: GivenUser;

  beforeAll(async () => {
    caller = await world.givenCaller(role, place);
  });

  const turn = holders.findIndex(([one, where]) => one === role && where === place);
  // Who may do everything is tried with all; the others share them out.
  const isWhole = isFull || role === "IAM_OWNER";
  const its = Object.entries(operations).filter((_, index) => isWhole || (index + turn) % 12 === 0);
  test.each(its)("calls %s", async (method, operation) => {
    const cells = cellsOf(operation, [role, place]);
    const refused = cells.filter(({ expected }) => expected !== "OK");
    const accepted = cells.filter(({ expected }) => expected === "OK");

    let head = await world.server.head();
    const refusals = await Promise.all(refused.map((cell) => call(method, cell, caller)));
    expect(await world.server.events(head)).toEqual([]);

    const answers: { [cell: string]: unknown } = {};
    for (const [index, { name }] of refused.entries()) {
      const { outcome, status, text } = refusals[index]!;
      answers[name] = outcome;
      // What is decided about users is told in words of its own, which are the same for all users.
      const about = operation.permission.startsWith("authenticated")
        ? `${outcome} of users`
        : outcome;
      if (text !== "" && operation.passing === undefined) {
        const body = `${status} ${withoutCall(text, method, refused[index]!)}`;
        wordings.set(about, (wordings.get(about) ?? new Set()).add(body));
      }
    }
    for (const cell of accepted) {
      const subject = (await operation.given?.(world, placeOf(cell))) ?? {};
      head = await world.server.head();
      const { outcome, text } = await call(method, cell, caller, subject);
      const left = await world.server.events(head);
      await operation.undo?.(world, placeOf(cell));
      answers[cell.name] = [outcome, left.map(({ type }) => type)];
      expect([cell.name, shownBy(text)]).toEqual([cell.name, shownTo(operation, cell)]);
      // What is written belongs to the organization that the call was let through for.
      const its = subject.instead ?? organizationOf(cell);
      const owner = method === "AddOrg" ? left[0]?.stream.slice(4) : its;
      expect(left.map((event) => [event.actor, event.owner])).toEqual(
        left.map(() => [caller.userId, owner]),
      );
    }

    const written = operation.events;
    expect(answers).toEqual(
      Object.fromEntries(
        cells.map(({ name, expected }) => [name, expected === "OK" ? ["OK", written] : expected]),
      ),
    );
  });
});

test("each refusal has one wording, whatever it is about", () => {
  const found = [...wordings].map(([outcome, bodies]) => [
    outcome,
    [...bodies].map((body) => body.replace(/"message":"[^"]+"/, "…")),
  ]);
  const body = (status: number, code: number, reason: string) => [
    `${status} {"code":${code},…,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
      `"reason":"${reason}","domain":"iam"}]}`,
  ];
  expect(Object.fromEntries(found)).toEqual({
    "3 ORGANIZATION_HEADER_REPEATED": body(400, 3, "ORGANIZATION_HEADER_REPEATED"),
    "5 ACTION_NOT_FOUND": body(404, 5, "ACTION_NOT_FOUND"),
    "5 APP_NOT_FOUND": body(404, 5, "APP_NOT_FOUND"),
    "5 GROUP_NOT_FOUND": body(404, 5, "GROUP_NOT_FOUND"),
    "5 KEY_NOT_FOUND": body(404, 5, "KEY_NOT_FOUND"),
    "5 IDP_NOT_FOUND": body(404, 5, "IDP_NOT_FOUND"),
    "5 MEMBER_NOT_FOUND": body(404, 5, "MEMBER_NOT_FOUND"),
    "5 PROJECT_NOT_FOUND": body(404, 5, "PROJECT_NOT_FOUND"),
    "5 TOKEN_NOT_FOUND": body(404, 5, "TOKEN_NOT_FOUND"),
    "5 USER_NOT_FOUND": body(404, 5, "USER_NOT_FOUND"),
    "5 USER_NOT_FOUND of users": body(404, 5, "USER_NOT_FOUND"),
    "7 PERMISSION_DENIED": body(403, 7, "PERMISSION_DENIED"),
    "7 PERMISSION_DENIED of users": body(403, 7, "PERMISSION_DENIED"),
    "9 IDP_NOT_OIDC": body(409, 9, "IDP_NOT_OIDC"),
  });
});

/** What a refusal says of the method and the header is taken out: that is known to the caller. */
function withoutCall(text: string, method: string, { sent }: Cell): string {
  const { permission, header } = operations[method]!;
  const [needed, ofOwner] = permission.split(" ");
  const said = ofOwner === undefined ? needed : `${needed} (or ${ofOwner} where the object lies)`;
  const isChosen = header && sent !== "absent" && sent !== "empty";
  const chosen = " The call acts on the organization that x-service-orgid names.";
  return text.replace(`permission ${said} that this method needs.${isChosen ? chosen : ""}`, "…");
}

function organizationOf(cell: Cell): string {
  return world.organizations[ownerOf(cell)];
}

function placeOf(cell: Cell) {
  const { target, objects } = cell;
  return {
    organization: organizationOf(cell),
    target: world.organizations[target as "own" | "foreign"],
    project: world.projects[projectIn(cell)],
    isServing: (objects.anyIDP ?? objects.ownIDP) === "serving",
  };
}

/** The names of the organizations whose objects an answer shows. */
function shownBy(text: string): readonly string[] {
  // Also in JSON that is a text.
  const plain = text.replaceAll('\\"', '"');
  const ids = new Set([...plain.matchAll(/"resourceOwner":"([^"]+)"/g)].map(([, id]) => id));
  const names = Object.entries(world.organizations).filter(([, id]) => ids.has(id));
  return names.map(([name]) => name).sort();
}

/** Calls with ids of what the cell names; an accepted call acts on a subject of its own. */
async function call(
  method: string,
  cell: Cell,
  caller: GivenUser,
  subject: RequestIds = {},
): Promise<Pick<HttpAnswer, "outcome" | "status" | "text">> {
  const { name, parent } = descriptors.get(method)!;
  const headers = {
    ...organizationHeaders(world.organizations, cell.sent),
    ...(subject.instead === undefined ? {} : { "x-service-orgid": subject.instead }),
  };
  const body = operations[method]!.request({ ...standing(cell), ...subject });
  if (method === "WatchEvents") {
    const outcome = await watchOnce(events, { ...bearer(caller.token), ...headers }, body);
    return { outcome, status: 0, text: "" };
  }
  return world.http.send({
    path: `/${parent.typeName}/${name}`,
    headers: { ...bearer(caller.token), ...headers },
    body: JSON.stringify(body),
  });
}

/** The ids of what is there all the time. */
function standing(cell: Cell): RequestIds {
  const { objects } = cell;
  const { own, foreign, member } = bystanders;
  const userKind = objects.user ?? objects.member ?? objects.person ?? objects.joined;
  const isJoined = objects.joined !== undefined && projectIn(cell) !== undefined;
  const users: { readonly [kind: string]: GivenUser } = {
    own: isJoined ? member : own,
    foreign: isJoined ? member : foreign,
    "no member": own,
  };
  const user = users[userKind ?? ""] ?? { userId: v7(), tokenId: v7() };
  const other = userKind === "own" ? foreign : own;
  const tokens: Ids = { theirs: user.tokenId, "of another": other.tokenId, unknown: v7() };
  const provider = objects.idp ?? objects.anyIDP ?? objects.usableIDP ?? objects.ownIDP;
  const project = projectIn(cell);
  const elsewhere = project === "foreign-1" ? "own-1" : "foreign-1";
  const apps: Ids = {
    theirs: world.apps[project],
    "of another": world.apps[elsewhere],
    unknown: v7(),
  };
  const keys: Ids = {
    theirs: world.keys[project],
    "of another": world.keys[elsewhere],
    unknown: v7(),
  };
  const watched: Ids = { ...world.organizations, unknown: v7(), all: "" };
  return {
    project: world.projects[project],
    app: apps[objects.app ?? ""],
    key: keys[objects.key ?? ""],
    user: user.userId,
    token: tokens[objects.token ?? ""],
    idp: (world.idps as Ids)[provider ?? ""],
    action: (world.actions as Ids)[objects.action ?? ""],
    group: (world.groups as Ids)[objects.group ?? ""],
    organization: watched[objects.watched ?? ""],
  };
}

type Ids = { readonly [name: string]: string };
