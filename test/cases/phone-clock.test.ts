import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import type { ResendPhoneCodeResponse } from "../../gen/iam/user/v2/phone_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { factsOf, type Told, told } from "./humans.ts";
import {
  type Calling,
  callingOf,
  codeInvalid,
  expectDetailsV2,
  expectMissed,
  givenCode,
  givenPerson,
  number,
  other,
  pendingCode,
  phoneOf,
  typesOf,
  wrong,
} from "./phones.ts";
import { granted } from "./stored.ts";

/** Phones and codes as time goes by, on a clock that the test sets. */

const { setPhone, resendPhoneCode, verifyPhone, removePhone } = UserService.method;

const intervalMs = 30_000;
const lifetimeMs = 3_600_000;
const returnCode = { case: "returnCode", value: {} } as const;

let clock = 1_900_000_000_000;
let server: TestServer;
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer({ now: () => clock });
  clients = createClients(server.url);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.close();
});

const worldOf = (clientName: string) =>
  callingOf(server, clients.find(({ name }) => name === clientName)!);

describe.each(shortened(clientNames))("over %s", (clientName) => {
  let world: Calling;
  const verify = (userId: string, verificationCode: string) =>
    world.call(verifyPhone, { userId, verificationCode });
  const tooSoon = (seconds: number) => ({
    ok: false,
    code: 8,
    reason: "CODE_TOO_SOON",
    message: `A code was created just now: ask again in ${seconds} s.`,
  });

  beforeAll(() => {
    world = worldOf(clientName);
  });

  describe("a code", () => {
    test("is valid until just before its end", async () => {
      const { userId, code } = await givenCode({ ...world, unique: v7() });
      clock += lifetimeMs - 1;
      expect(await verify(userId, code)).toMatchObject({ ok: true });
      expect(await phoneOf(server, userId)).toEqual({ number, isVerified: true });
    });

    test.each([
      ["at its end", lifetimeMs],
      ["after its end", lifetimeMs + 1],
    ])("is none %s, and neither is a wrong one a try", async (_, afterMs) => {
      const { userId, code } = await givenCode({ ...world, unique: v7() });
      clock += afterMs;
      const before = await server.head();
      expect(await verify(userId, code)).toMatchObject({ ok: false, ...codeInvalid, fields: [] });
      expect(await verify(userId, wrong(code))).toMatchObject({ ok: false, ...codeInvalid });
      expect(await server.events(before)).toEqual([]);
    });
  });

  describe("the next code", () => {
    test.each([
      ["at once", 0, 30],
      ["a millisecond later", 1, 30],
      ["after a second", 1_000, 29],
      ["a millisecond too early", intervalMs - 1, 1],
    ])("is refused %s, with the time to wait", async (_, afterMs, seconds) => {
      const { userId } = await givenCode({ ...world, unique: v7() });
      clock += afterMs;
      const before = await server.head();
      const answers = [
        await world.call(resendPhoneCode, { userId }),
        await world.call(resendPhoneCode, { userId, verification: returnCode }),
        await world.call(setPhone, { userId, phone: number }),
        await world.call(setPhone, { userId, phone: other, verification: returnCode }),
      ];
      const refused = { ...tooSoon(seconds), retryMs: intervalMs - afterMs };
      expect(answers).toMatchObject(answers.map(() => refused));
      expect(await server.events(before)).toEqual([]);
    });

    const answered: Told = [told.phoneCode[0], { ...told.phoneCode[1], send: false }];

    test.each([
      ["is sent", {}, told.phoneCode],
      [
        "is sent where that is said",
        { verification: { case: "sendCode", value: {} } },
        told.phoneCode,
      ],
      ["is answered", { verification: returnCode }, answered],
    ] as const)("%s after 30 s, and the one before is none", async (_, how, stored) => {
      const { userId, code } = await givenCode({ ...world, unique: v7() });
      clock += intervalMs;
      const before = await server.head();
      const answer = await world.call(resendPhoneCode, { userId, ...how });
      const events = await server.events(before);
      expect(factsOf(server.keyring, events)).toEqual([stored]);
      const { details, verificationCode } = granted<ResendPhoneCodeResponse>(answer);
      expectDetailsV2(details, events);
      const next = await pendingCode(server, userId);
      expect(verificationCode).toBe(stored === answered ? next : "");

      await expectMissed(world, userId, [code]);
      expect(await verify(userId, next)).toMatchObject({ ok: true });
    });

    test("is made by setting the same number, without a change", async () => {
      const { userId } = await givenCode({ ...world, unique: v7() });
      clock += intervalMs;
      const before = await server.head();
      granted(await world.call(setPhone, { userId, phone: number }));
      expect(typesOf(await server.events(before))).toEqual(["user.human.phone.code.added"]);
    });

    test("counts tries from nothing", async () => {
      const { userId, code } = await givenCode({ ...world, unique: v7() });
      await expectMissed(
        world,
        userId,
        [0, 1, 2, 3].map((nth) => wrong(code, nth)),
      );
      clock += intervalMs;
      granted(await world.call(resendPhoneCode, { userId }));
      const next = await pendingCode(server, userId);
      await expectMissed(
        world,
        userId,
        [0, 1, 2, 3].map((nth) => wrong(next, nth)),
      );
      expect(await verify(userId, next)).toMatchObject({ ok: true });
    });

    test("can be had for one that was discarded or has ended", async () => {
      const { userId, code } = await givenCode({ ...world, unique: v7() });
      await expectMissed(
        world,
        userId,
        [0, 1, 2, 3, 4].map((nth) => wrong(code, nth)),
      );
      clock += intervalMs;
      granted(await world.call(resendPhoneCode, { userId }));
      clock += lifetimeMs;
      granted(await world.call(resendPhoneCode, { userId }));
      expect(await verify(userId, await pendingCode(server, userId))).toMatchObject({ ok: true });
    });

    test("does not come sooner because the phone was removed, verified or refused", async () => {
      const { userId, code } = await givenCode({ ...world, unique: v7() });
      expect(await verify(userId, code)).toMatchObject({ ok: true });
      clock += intervalMs - 1;
      expect(await world.call(setPhone, { userId, phone: other })).toMatchObject(tooSoon(1));
      granted(await world.call(removePhone, { userId }));
      expect(await world.call(setPhone, { userId, phone: other })).toMatchObject(tooSoon(1));
      clock += 1;
      expect(await world.call(setPhone, { userId, phone: other })).toMatchObject({ ok: true });
    });

    test("waits while the clock that was set back comes up again, and no longer", async () => {
      const { userId } = await givenCode({ ...world, unique: v7() });
      clock -= intervalMs;
      expect(await world.call(resendPhoneCode, { userId })).toMatchObject(tooSoon(30));
      clock += 2 * intervalMs;
      expect(await world.call(resendPhoneCode, { userId })).toMatchObject({ ok: true });
      const code = await pendingCode(server, userId);
      expect(await verify(userId, code)).toMatchObject({ ok: true });
    });

    test("of one person does not wait for that of another", async () => {
      await givenCode({ ...world, unique: v7() });
      const { userId } = await givenPerson({ ...world, unique: v7() });
      expect(await world.call(setPhone, { userId, phone: number })).toMatchObject({ ok: true });
    });
  });
});
