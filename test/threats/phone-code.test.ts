import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { v7 } from "uuid";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { verifyPhone } from "../../src/domain/user/human/phone.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { projector } from "../../src/log/projector.ts";
import type { Keyring } from "../../src/secrets/keyring.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { codeForm } from "../cases/humans.ts";
import {
  type Calling,
  callingOf,
  codeInvalid,
  givenCode,
  givenPerson,
  holderOf,
  number,
  phoneOf,
  typesOf,
  wrong,
} from "../cases/phones.ts";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { isFull, shortened } from "../harness/extent.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

const guessing = "CVE-2025-64102, CVE-2024-32868, CVE-2023-47111, CVE-2026-35597";
const path = (userId: string) => `/v2/users/${userId}/phone/verify`;

let server: TestServer;
let http: Http;
let clients: readonly TestClient[];
let worlds: readonly Calling[];

beforeAll(async () => {
  server = await startServer();
  http = createHttp(server.port);
  clients = createClients(server.url);
  worlds = clients.map((client) => callingOf(server, client));
});

afterAll(async () => {
  http.close();
  for (const client of clients) client.close();
  await server.close();
});

/** Six characters that are no code of this person. */
function guesses(code: string, count: number): readonly string[] {
  const alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
  return Array.from({ length: count }, (_, index) => {
    const guess = wrong(code, index % 30);
    return alphabet.charAt(Math.floor(index / 30)) + guess.slice(1);
  }).map((guess) => (guess === code ? wrong(code) : guess));
}

const guess = (world: Calling, userId: string, verificationCode: string) =>
  world.call(UserService.method.verifyPhone, { userId, verificationCode });

async function failuresOf(userId: string): Promise<readonly string[]> {
  const events = await server.store.readStream(`user-${userId}`, 1, 1_000);
  return typesOf(events).filter((type) => type === "user.human.phone.verification.failed");
}

describe(`${guessing}: a code is guessed`, () => {
  test("by many at once: no more than five tries are compared, and the code is gone", async () => {
    const { userId, token, code } = await givenCode({ ...worlds[0]!, unique: v7() });
    expect(code).toMatch(codeForm);
    const before = await server.head();
    const many = isFull ? 200 : 40;
    const answers = await Promise.all(
      guesses(code, many).map((one, index) =>
        guess(worlds[index % clientNames.length]!, userId, one),
      ),
    );
    expect(answers).toHaveLength(many);
    for (const answer of answers) expect(answer).toMatchObject({ ok: false, ...codeInvalid });

    const events = await server.events(before);
    const failed = "user.human.phone.verification.failed";
    expect(typesOf(events)).toEqual([failed, failed, failed, failed, failed]);
    expect(await phoneOf(server, userId)).toEqual({ number, isVerified: false });
    for (const world of worlds) {
      expect(await guess(world, userId, code)).toMatchObject({ ok: false, ...codeInvalid });
    }
    expect(
      await worlds[1]!.call(
        UserService.method.verifyPhone,
        { userId, verificationCode: code },
        token,
      ),
    ).toMatchObject({ ok: false, ...codeInvalid });
    expect(await failuresOf(userId)).toHaveLength(5);
  });

  test("by many at once, the right one among them: it counts once or not at all", async () => {
    const { userId, code } = await givenCode({ ...worlds[0]!, unique: v7() });
    const tries = [...guesses(code, 3), code, ...guesses(code, 20), code, code];
    const before = await server.head();
    const answers = await Promise.all(
      tries.map((one, index) => guess(worlds[index % clientNames.length]!, userId, one)),
    );
    const types = typesOf(await server.events(before));
    const accepted = answers.filter(({ ok }) => ok).length;
    expect(types.filter((type) => type === "user.human.phone.verified")).toHaveLength(accepted);
    expect(accepted).toBeLessThanOrEqual(1);
    expect(types.length - accepted).toBeLessThanOrEqual(5);
    expect((await phoneOf(server, userId))?.isVerified).toBe(accepted === 1);
  });

  test("from two processes: the tries of both are one count", async () => {
    const { userId, code } = await givenCode({ ...worlds[0]!, unique: v7() });
    const elsewhere = await openSqlite({
      path: join(server.dataDir, "iam.db"),
      projector,
      ...sealingIn(server.dataDir),
    });
    try {
      const processes = [server.execute, createExecute(elsewhere, Date.now)];
      const compared: string[] = [];
      const outcomes = await Promise.all(
        guesses(code, 40).map((one, index) =>
          processes[index % 2]!({
            actor: userId,
            writes: { user: { noun: user, id: userId } },
            relies: { caller: { noun: user, id: userId } },
            decide: (states, nowMs) =>
              verifyPhone(
                states,
                {
                  isSelf: true,
                  permission: "user.write",
                  opens: (sealed) => {
                    compared.push(one);
                    const place = { stream: `user-${userId}`, field: "phone.code" };
                    return server.keyring.opens(sealed, place, one);
                  },
                },
                nowMs,
              ),
          }),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === "done")).toEqual([]);
      expect(compared.length).toBeGreaterThanOrEqual(5);
      expect(await failuresOf(userId)).toHaveLength(5);
      expect(await phoneOf(server, userId)).toEqual({ number, isVerified: false });
    } finally {
      await elsewhere.close();
    }
  });

  test("and refused: the try is on disk when the answer comes", async () => {
    const { userId, code } = await givenCode({ ...worlds[0]!, unique: v7() });
    const counted = () => {
      const db = new Database(join(server.dataDir, "iam.db"), { readonly: true });
      const count = db
        .prepare("SELECT count(*) AS n FROM events WHERE stream = ? AND type LIKE '%.failed'")
        .get(`user-${userId}`);
      db.close();
      return count;
    };
    for (const [index, one] of guesses(code, 5).entries()) {
      const answer = await guess(worlds[index]!, userId, one);
      expect([answer.ok, counted()]).toEqual([false, { n: index + 1 }]);
    }
  });
});

describe("a code is measured by the time that a comparison takes", () => {
  test("the keyring compares it, in constant time, and nobody opens it", async () => {
    const { userId, code } = await givenCode({ ...worlds[0]!, unique: v7() });
    const calls: string[] = [];
    const keyring: Keyring = {
      ...server.keyring,
      open: (...given) => {
        calls.push("open");
        return server.keyring.open(...given);
      },
      opens: (...given) => {
        calls.push("opens");
        return server.keyring.opens(...given);
      },
    };
    const watched = await serveWith(server, { keyring });
    const other = createHttp(watched.port);
    try {
      const headers = bearer(server.admin.token);
      const outcomes: string[] = [];
      for (const verificationCode of [wrong(code), code, code]) {
        const body = JSON.stringify({ verificationCode });
        outcomes.push((await other.send({ path: path(userId), headers, body })).outcome);
      }
      expect(outcomes).toEqual(["3 CODE_INVALID", "OK", "3 CODE_INVALID"]);
      expect(calls).toEqual(["opens", "opens"]);
    } finally {
      other.close();
      await watched.close();
    }
  });
});

describe("GHSA-pvm5-9frx-264r: answers tell who exists", () => {
  /** Everything that is answered, but for what no two answers have in common. */
  async function told(token: string, userId: string, verificationCode = "ABCDEF") {
    const answer = await http.send({
      path: path(userId),
      headers: bearer(token),
      body: JSON.stringify({ verificationCode }),
    });
    const { "x-request-id": _id, date: _date, ...headers } = answer.headers;
    return { status: answer.status, headers, text: answer.text };
  }

  test("a code that is wrong, used up, ended with its number or not there", async () => {
    const { token } = server.admin;
    const given = () => givenCode({ ...worlds[0]!, unique: v7() });
    const missed = await given();
    const used = await given();
    const removed = await given();
    const verified = await givenPerson(
      { ...worlds[0]!, unique: v7() },
      { phone: { phone: number, isPhoneVerified: true } },
    );
    const bare = await givenPerson({ ...worlds[0]!, unique: v7() });
    const machine = await givenUser(server, server.admin.organization);
    for (const one of guesses(missed.code, 5)) await told(token, missed.userId, one);
    await told(token, used.userId, used.code);
    await worlds[0]!.call(UserService.method.removePhone, { userId: removed.userId });

    const wrongOne = await given();
    const expected = await told(token, wrongOne.userId, wrong(wrongOne.code));
    expect(expected).toMatchObject({ status: 400, text: expect.stringContaining("CODE_INVALID") });
    expect([
      await told(token, missed.userId, missed.code),
      await told(token, used.userId, used.code),
      await told(token, removed.userId, removed.code),
      await told(token, verified.userId),
      await told(token, bare.userId),
      await told(token, machine.userId),
    ]).toEqual(Array.from({ length: 6 }, () => expected));
  });

  test("users of other organizations, and ones that are not, no matter who asks", async () => {
    const own = server.admin.organization;
    const { userId } = await givenUser(server, await givenOrganization(server));
    const manager = await holderOf(server, "ORG_USER_MANAGER");
    expect(await told(manager.token, userId)).toEqual(await told(manager.token, v7()));
    expect((await told(manager.token, userId)).status).toBe(404);

    const nobody = await givenUser(server, own);
    const there = (await givenCode({ ...worlds[0]!, unique: v7() })).userId;
    const answers = await Promise.all([there, userId, v7()].map((id) => told(nobody.token, id)));
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    expect(answers[0]?.status).toBe(403);
  });
});

describe("CVE-2026-27946: a person marks the own phone as verified", () => {
  const { setPhone } = UserService.method;

  test.each(shortened(clientNames, 2))("over %s", async (name) => {
    const world = { ...worlds[clientNames.indexOf(name)]!, unique: v7() };
    const { userId, token } = await givenPerson(world);
    const before = await server.head();
    for (const verification of [
      { case: "isVerified", value: true },
      { case: "returnCode", value: {} },
    ] as const) {
      const answer = await world.call(setPhone, { userId, phone: number, verification }, token);
      expect(answer).toMatchObject({ ok: false, code: 7, reason: "PERMISSION_DENIED" });
    }
    expect(await server.events(before)).toEqual([]);
  });

  test("by creating somebody, without the permission to", async () => {
    const { token } = await givenPerson({ ...worlds[0]!, unique: v7() });
    const before = await server.head();
    const { outcome } = await http.send({
      path: "/management/v1/users/human/_import",
      headers: bearer(token),
      body: JSON.stringify({
        userName: v7(),
        profile: { firstName: "A", lastName: "B" },
        email: { email: "ada@example.com", isEmailVerified: true },
        phone: { phone: number, isPhoneVerified: true },
      }),
    });
    expect(outcome).toBe("7 PERMISSION_DENIED");
    expect(await server.events(before)).toEqual([]);
  });
});
