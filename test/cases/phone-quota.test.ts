import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import {
  type CallHeaders,
  clientNames,
  createClients,
  type TestClient,
} from "../harness/clients.ts";
import { describeFew } from "../harness/in-full.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";
import { type Calling, callingOf, givenPerson, number, other, phoneOf } from "./phones.ts";
import { granted } from "./stored.ts";

/** SMS past what a number or an organization may have in a day, on a clock that the test sets. */

const { setPhone, resendPhoneCode } = UserService.method;

const hourMs = 3_600_000;
const limits = { smsPerNumber: 2, smsPerOrganization: 4 };

let clock: number;
let server: TestServer;
let clients: readonly TestClient[];

beforeEach(async () => {
  clock = 1_900_000_000_000;
  server = await startServer({ now: () => clock, sendLimits: limits });
  clients = createClients(server.url);
});

afterEach(async () => {
  for (const client of clients) client.close();
  await server.close();
});

function worldOf(clientName: string, headers: CallHeaders = {}): Calling {
  return callingOf(server, clients.find(({ name }) => name === clientName)!, headers);
}

const tooMany = (whose: string, time: string, retryMs: number) => ({
  ok: false,
  code: 8,
  reason: "TOO_MANY_SMS",
  message: `The daily SMS limit of the ${whose} is used up: ask again in ${time}.`,
  retryMs,
});

/** A person without a phone, for whom no code was ever made. */
const person = async (world: Calling) => (await givenPerson({ ...world, unique: v7() })).userId;

describeFew(2).each(clientNames)("over %s", (clientName) => {
  test("the SMS past those of a number is refused, and leaves nothing", async () => {
    const world = worldOf(clientName);
    for (let count = 0; count < limits.smsPerNumber; count += 1) {
      granted(await world.call(setPhone, { userId: await person(world), phone: number }));
    }
    const userId = await person(world);
    const before = await server.head();
    const refused = tooMany("number", "12 h", 12 * hourMs);
    expect(await world.call(setPhone, { userId, phone: number })).toMatchObject(refused);
    expect(await server.events(before)).toEqual([]);
    granted(await world.call(setPhone, { userId, phone: other }));
    clock += 12 * hourMs - 1;
    const last = tooMany("number", "1 s", 1);
    expect(await world.call(setPhone, { userId, phone: number })).toMatchObject(last);
    clock += 1;
    granted(await world.call(setPhone, { userId, phone: number }));
  });
});

/** Numbers of which each gets one SMS. */
const numbers = ["0", "1", "2", "3", "4"].map((digit) => `+4144668180${digit}`);

test("the SMS past those of an organization is refused, to whatever number", async () => {
  const world = worldOf("grpc");
  for (const phone of numbers.slice(0, limits.smsPerOrganization)) {
    granted(await world.call(setPhone, { userId: await person(world), phone }));
  }
  const refused = tooMany("organization", "6 h", 6 * hourMs);
  const request = { userId: await person(world), phone: numbers[4]! };
  expect(await world.call(setPhone, request)).toMatchObject(refused);
  // A code that is answered is not sent.
  const verification = { case: "returnCode", value: {} } as const;
  granted(await world.call(setPhone, { ...request, verification }));
  clock += 30_000;
  const again = await world.call(resendPhoneCode, { userId: request.userId });
  expect(again).toMatchObject({ ok: false, reason: "TOO_MANY_SMS" });
  const elsewhere = worldOf("grpc", { "x-service-orgid": await givenOrganization(server) });
  granted(await elsewhere.call(setPhone, { userId: await person(elsewhere), phone: number }));
});

test("people are imported past the SMS of a day, without a code", async () => {
  const world = worldOf("connect-json");
  const imported: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const human = { phone: { phone: number } };
    imported.push((await givenPerson({ ...world, unique: v7() }, human)).userId);
  }
  const phones = await Promise.all(imported.map((userId) => phoneOf(server, userId)));
  expect(phones.map((phone) => [phone?.number, phone?.code !== undefined])).toEqual([
    [number, true],
    [number, true],
    [number, false],
    [number, false],
  ]);
  clock += 12 * hourMs;
  granted(await world.call(resendPhoneCode, { userId: imported[3]! }));
});

test("the log says once that an organization has had its SMS, and names no number", async () => {
  const world = worldOf("json");
  for (const phone of numbers) {
    await world.call(setPhone, { userId: await person(world), phone });
  }
  const said = server.logged().filter((line) => line.includes("daily SMS limit"));
  expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, organization: server.admin.organization, most: limits.smsPerOrganization },
  ]);
  expect(said.join()).not.toContain("4144668");
});
