import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import { roles } from "../../src/domain/permission.ts";
import { givenUser } from "../harness/server.ts";
import { bearer, type HttpAnswer } from "./http.ts";
import {
  atGate,
  type HeaderKind,
  headers,
  holders,
  methods,
  type ObjectKind,
  objectsOf,
  type Row,
} from "./matrix.ts";
import { bodyOf } from "./request.ts";
import { type AccessWorld, type GivenUser, organizationHeaders, startWorld } from "./world.ts";

// CVE-2026-32131, GHSA-cpf4-pmr4-w6cx, CVE-2025-14777, CVE-2025-27507: every method, called by
// every role from everywhere, with every kind of organization header, about objects of everybody.

const services = [AdminService, ManagementService, UserService];
const descriptors = new Map<string, DescMethod>(
  services.flatMap((service) => service.methods.map((method) => [method.name, method])),
);
const headerKinds = Object.keys(headers) as HeaderKind[];

let world: AccessWorld;
/** Users whose tokens and memberships no accepted call changes. */
let bystanders: { readonly [organization in "own" | "foreign"]: GivenUser };

/** Every body and status of a refusal, by its reason. */
const wordings = new Map<string, Set<string>>();

beforeAll(async () => {
  world = await startWorld();
  const { own, foreign } = world.organizations;
  bystanders = {
    own: await world.givenPerson(own),
    foreign: await world.givenPerson(foreign),
  };
});

afterAll(() => world.close());

test("every method has a row, which says what the contract declares", () => {
  const declared = [...descriptors].map(([name, method]) => {
    const { permission, ownerPermission, organizationHeader: header } = getOption(method, access);
    return [name, { permission: `${permission} ${ownerPermission}`.trim(), header }];
  });
  const rows = Object.entries(methods).map(([name, { permission, header }]) => [
    name,
    { permission, header },
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(declared));
});

test("every role is held by somebody", () => {
  const held = new Set(holders.map(([role]) => role));
  expect([...held].sort()).toEqual([...Object.keys(roles), "no role"].sort());
});

describe.each(holders)("%s of %s", (role, place) => {
  let caller: GivenUser;

  beforeAll(async () => {
    caller = await world.givenCaller(role, place);
  });

  test.each(Object.keys(methods))("calls %s", async (method) => {
    const cells = cellsOf(methods[method]!, [role, place]);
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
      const about =
        methods[method]!.permission === "authenticated" ? `${outcome} of users` : outcome;
      wordings.set(about, (wordings.get(about) ?? new Set()).add(`${status} ${text}`));
    }
    for (const cell of accepted) {
      const subject = await subjectOf(cell);
      head = (await world.server.events(head)).at(-1)!.position;
      const { outcome } = await call(method, cell, caller, subject);
      const events = await world.server.events(head);
      answers[cell.name] = [outcome, events.map(({ type }) => type)];
      // What is written belongs to the organization that the call was let through for.
      const owner = method === "AddOrg" ? events[0]?.stream.slice(4) : organizationOf(cell);
      expect(events.map((event) => [event.actor, event.owner])).toEqual(
        events.map(() => [caller.userId, owner]),
      );
    }

    const written = methods[method]!.events;
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
    "5 IDP_NOT_FOUND": body(404, 5, "IDP_NOT_FOUND"),
    "5 PROJECT_NOT_FOUND": body(404, 5, "PROJECT_NOT_FOUND"),
    "5 TOKEN_NOT_FOUND": body(404, 5, "TOKEN_NOT_FOUND"),
    "5 USER_NOT_FOUND": body(404, 5, "USER_NOT_FOUND"),
    "5 USER_NOT_FOUND of users": body(404, 5, "USER_NOT_FOUND"),
    "7 PERMISSION_DENIED": body(403, 7, "PERMISSION_DENIED"),
    "7 PERMISSION_DENIED of users": body(403, 7, "PERMISSION_DENIED"),
    "9 IDP_NOT_OIDC": body(409, 9, "IDP_NOT_OIDC"),
  });
});

/** One call of the matrix: what the header and the objects are, and what is to come of it. */
interface Cell {
  readonly name: string;
  readonly sent: HeaderKind;
  /** The organization that the call acts on, or the refusal at the gate. */
  readonly target: string;
  readonly objects: { readonly [kind in ObjectKind]?: string };
  readonly expected: string;
}

function cellsOf(row: Row, holder: (typeof holders)[number]): readonly Cell[] {
  return headerKinds.flatMap((sent) => {
    const target = atGate(row, holder, sent);
    const passes = target === "own" || target === "foreign";
    const start: Cell = { name: `header ${sent}`, sent, target, objects: {}, expected: "OK" };
    // Each kind of id multiplies the cells; the first one that is refused decides.
    return row.objects
      .reduce<readonly Cell[]>(
        (cells, kind) =>
          cells.flatMap((cell) =>
            Object.entries(objectsOf(kind, holder[1], passes ? target : "own") ?? everywhere).map(
              ([object, outcome]) => ({
                ...cell,
                name: `${cell.name}, ${kind} ${object}`,
                objects: { ...cell.objects, [kind]: object },
                expected: cell.expected === "OK" ? outcome : cell.expected,
              }),
            ),
          ),
        [start],
      )
      .map((cell) => (passes ? cell : { ...cell, expected: target }));
  });
}

/** Objects for callers whom no table mentions, because the gate refuses them. */
const everywhere = { own: "", foreign: "", unknown: "" };

/** The organization that owns what an accepted call writes. */
function organizationOf({ target, objects }: Cell): string {
  const { member, user, person, idp } = objects;
  const name = member ?? user ?? person ?? idp ?? target;
  return world.organizations[name as "own" | "foreign"];
}

/** Whom an accepted call changes: a user that no other call changes. */
function subjectOf(cell: Cell): Promise<GivenUser> {
  const organization = organizationOf(cell);
  return cell.objects.person === undefined
    ? givenUser(world.server, organization)
    : world.givenPerson(organization);
}

/** Calls with ids of what the cell names; an accepted call acts on a subject of its own. */
function call(
  method: string,
  { sent, objects }: Cell,
  caller: GivenUser,
  subject?: GivenUser,
): Promise<HttpAnswer> {
  const { parent } = descriptors.get(method)!;
  const userKind = objects.user ?? objects.member ?? objects.person;
  const there = bystanders[userKind as keyof typeof bystanders];
  const other = userKind === "own" ? bystanders.foreign : bystanders.own;
  const user = subject ?? there ?? { userId: v7(), tokenId: v7() };
  const tokens = { theirs: user.tokenId, "of another": other.tokenId, unknown: v7() };
  const body = bodyOf(method, {
    project: world.projects[objects.project as keyof AccessWorld["projects"]],
    user: user.userId,
    token: tokens[objects.token as keyof typeof tokens],
    idp: world.idps[objects.idp as keyof AccessWorld["idps"]],
  });
  return world.http.send({
    path: `/${parent.typeName}/${method}`,
    headers: { ...bearer(caller.token), ...organizationHeaders(world.organizations, sent) },
    body: JSON.stringify(body),
  });
}
