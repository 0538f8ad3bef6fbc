import type { OutgoingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Role } from "../../src/domain/permission.ts";
import { bearer } from "./http.ts";
import type { Place } from "./place.ts";
import { type AccessWorld, startWorld } from "./world.ts";

const management = `/${ManagementService.typeName}`;
const admin = `/${AdminService.typeName}`;

let world: AccessWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.close());

interface Row {
  readonly name: string;
  readonly path: string;
  readonly role: Role | "no role";
  readonly place: Place;
  readonly header?: () => string;
  readonly body?: () => object;
  readonly needed: string;
}

const unknown = v7();
const chosen = " The call acts on the organization that x-service-orgid names.";

test.each<Row>([
  {
    name: "in the caller's own organization",
    path: `${management}/AddProject`,
    role: "no role",
    place: "nowhere",
    needed: "project.create that this method needs.",
  },
  {
    name: "in another one",
    path: `${management}/AddProject`,
    role: "ORG_OWNER",
    place: "own",
    header: () => world.organizations.foreign,
    needed: `project.create that this method needs.${chosen}`,
  },
  {
    name: "in one that is unknown",
    path: `${management}/AddProject`,
    role: "ORG_OWNER",
    place: "own",
    header: () => unknown,
    needed: `project.create that this method needs.${chosen}`,
  },
  {
    name: "in one that is unknown, to who holds it everywhere",
    path: `${management}/AddProject`,
    role: "IAM_OWNER",
    place: "instance",
    header: () => unknown,
    needed: `project.create that this method needs.${chosen}`,
  },
  {
    name: "for another project",
    path: `${management}/AddAPIApp`,
    role: "PROJECT_OWNER",
    place: "own-1",
    body: () => ({ projectId: world.projects["own-2"], name: "a" }),
    needed: "project.app.write that this method needs.",
  },
  {
    name: "for the instance, whatever the header says",
    path: `${admin}/AddIAMMember`,
    role: "ORG_OWNER",
    place: "own",
    header: () => world.organizations.own,
    needed: "iam.member.write that this method needs.",
  },
  {
    name: "where owners need less",
    path: `${admin}/UpdateIDPOIDCConfig`,
    role: "no role",
    place: "nowhere",
    needed: "iam.idp.write (or org.idp.write where the object lies) that this method needs.",
  },
])("the refusal names the permission that is missing $name", async (row) => {
  const { path, role, place, header, body = () => ({}), needed } = row;
  const { token } = await world.givenCaller(role, place);
  const headers: OutgoingHttpHeaders = {
    ...bearer(token),
    ...(header ? { "x-service-orgid": header() } : {}),
  };
  const { outcome, text } = await world.http.send({ path, headers, body: JSON.stringify(body()) });
  expect(outcome).toBe("7 PERMISSION_DENIED");
  expect(JSON.parse(text).message).toBe(`The caller does not hold the permission ${needed}`);
});

test("unknown organizations and those of others are refused alike, byte for byte", async () => {
  const { token } = await world.givenCaller("ORG_OWNER", "own");
  const answers = [world.organizations.foreign, unknown, "x", "%00"].map(async (organization) => {
    const { status, headers, text } = await world.http.send({
      path: `${management}/AddProject`,
      headers: { ...bearer(token), "x-service-orgid": organization },
      body: "{}",
    });
    const { date: _date, "x-request-id": _id, ...same } = headers;
    return JSON.stringify([status, same, text]);
  });
  expect(new Set(await Promise.all(answers)).size).toBe(1);
});

test("a watch is refused by the same rule", async () => {
  const { token } = await world.givenCaller("no role", "nowhere");
  const { text } = await world.http.send({
    path: `/${EventService.typeName}/WatchEvents`,
    headers: { ...bearer(token), "content-type": "application/connect+json" },
    endless: true,
    body: "\0",
  });
  expect(text).toContain("events.read (or org.event.watch where the object lies)");
});
