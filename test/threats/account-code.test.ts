import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import type { Keyring } from "../../src/secrets/keyring.ts";
import { createHttp, type Http } from "../access/http.ts";
import { type Given, imported, refused, type Way, ways, wrongCode } from "../cases/accounts.ts";
import { type Calling, callingOf, typesOf } from "../cases/phones.ts";
import { startTwin, type Twin } from "../cases/twin.ts";
import { change, happen } from "../cases/users.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { describeFew, few } from "../harness/in-full.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

// CVE-2025-64102, CVE-2024-32868, CVE-2023-47111, CVE-2026-35597: codes are guessed by anybody.

let server: TestServer;
let twin: Twin;
let http: Http;
/** Of the server and of another process on its file, without those that need a path. */
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer();
  twin = await startTwin(server);
  http = createHttp(server.port);
  clients = [server, twin].flatMap(({ url }) =>
    createClients(url).filter(({ name }) => name !== "rest"),
  );
});

afterAll(async () => {
  http.close();
  for (const client of clients) client.close();
  await twin.close();
  await server.close();
});

const worldOf = (nth: number): Calling => callingOf(server, clients[nth % clients.length]!);
const every = Object.entries(ways) as readonly (readonly [string, Way])[];

/** What the method is called with, the code apart. */
async function requestOf(way: Way, given: Given) {
  return { ...given, ...(await way.more(worldOf(0), given)) };
}

async function missesOf(way: Way, { userId }: Given): Promise<number> {
  const events = await server.store.readStream(`user-${userId}`, 0, 1_000);
  return typesOf(events).filter((type) => type === way.failed).length;
}

describeFew().each(every)("%s: a code is guessed", (_, way) => {
  test("by fifty at once in two processes: five tries are compared, and it is void", async () => {
    const given = await way.given(worldOf(0));
    const request = await requestOf(way, given);
    const guesses = Array.from({ length: 50 }, (_none, nth) => wrongCode(given, nth % 9));
    const answers = await Promise.all(
      guesses.map((code, nth) => worldOf(nth).call(way.method, { ...request, code }, "")),
    );
    expect(answers).toHaveLength(50);
    for (const answer of answers) expect(answer).toMatchObject({ ok: false, ...refused });
    expect(await missesOf(way, given)).toBe(5);
    for (const nth of [0, 6]) {
      const answer = await worldOf(nth).call(way.method, request, "");
      expect(answer).toMatchObject({ ok: false, ...refused });
    }
    expect(await missesOf(way, given)).toBe(5);
  });

  test("by many at once, the right one among them: no more than five are missed", async () => {
    const given = await way.given(worldOf(0));
    const request = await requestOf(way, given);
    const guesses = [0, 1, given.code, 2, 3, given.code, 4, 5, 6, 7].map((one) =>
      typeof one === "number" ? wrongCode(given, one) : one,
    );
    const answers = await Promise.all(
      guesses.map((code, nth) => worldOf(nth).call(way.method, { ...request, code }, "")),
    );
    const isRead = way === ways.checkInitialization || way === ways.beginPasskey;
    const accepted = answers.filter(({ ok }) => ok).length;
    expect(accepted).toBeLessThanOrEqual(isRead ? 2 : 1);
    expect(await missesOf(way, given)).toBeLessThanOrEqual(5);
    const right = guesses.map((code) => code === given.code);
    expect(answers.filter(({ ok }, nth) => ok && !right[nth])).toEqual([]);
  });

  test("and what others write at the same time never stands in for the comparison", async () => {
    const busy = await startTwin(server, {
      around: (store) => ({
        ...store,
        append: async () => ({ kind: "version-conflict", stream: "x" }),
      }),
    });
    const [client] = createClients(busy.url);
    try {
      const given = await way.given(worldOf(0));
      const request = { ...(await requestOf(way, given)), code: wrongCode(given) };
      const answer = await callingOf(server, client!).call(way.method, request, "");
      expect(answer).toMatchObject({ ok: false, code: 10, reason: "CONFLICT" });
    } finally {
      client!.close();
      await busy.close();
    }
  });
});

describe("answers tell who exists", () => {
  async function told(way: Way, request: object) {
    const answer = await http.send({
      path: `/${way.method.parent.typeName}/${way.method.name}`,
      headers: {},
      body: JSON.stringify(request),
    });
    const { "x-request-id": _id, date: _date, ...headers } = answer.headers;
    return { ...answer, headers };
  }

  few(2).each(every)("%s: to nobody, whatever the matter is", async (_, way) => {
    const given = async () => await requestOf(way, await way.given(worldOf(0)));
    const wrong = async () => {
      const one = await given();
      return { ...one, code: wrongCode(one) };
    };
    const changed = async (type: "user.deactivated" | "user.removed") => {
      const one = await given();
      await happen(server, [change(type)], { id: one.userId });
      return one;
    };
    const voided = async () => {
      const one = await given();
      for (let nth = 0; nth < 5; nth += 1) {
        await told(way, { ...one, code: wrongCode(one, nth) });
      }
      return one;
    };
    const shape = await given();
    const email = { email: "ada@example.com", isEmailVerified: true };
    const bare = await imported(worldOf(0), { email, password: "long enough" });
    const machine = await givenUser(server, server.admin.organization);

    const expected = await told(way, await wrong());
    expect(expected).toMatchObject({ status: 400, outcome: "3 CODE_INVALID" });
    const matters = [
      await changed("user.deactivated"),
      await changed("user.removed"),
      await voided(),
      { ...shape, userId: v7() },
      { ...shape, userId: "__proto__" },
      { ...shape, userId: machine.userId },
      { ...shape, userId: bare.userId },
    ];
    for (const matter of matters) expect(await told(way, matter)).toEqual(expected);
    expect((await told(way, shape)).outcome).toBe("OK");
  });
});

test("the keyring compares a code, in constant time, and nobody opens it", async () => {
  const way = ways.checkInitialization;
  const given = await way.given(worldOf(0));
  const calls: string[] = [];
  const keyring: Keyring = {
    ...server.keyring,
    open: (...values) => {
      calls.push("open");
      return server.keyring.open(...values);
    },
    opens: (...values) => {
      calls.push("opens");
      return server.keyring.opens(...values);
    },
  };
  const watched = await serveWith(server, { keyring });
  const [client] = createClients(watched.url);
  try {
    const world = callingOf(server, client!);
    for (const code of [wrongCode(given), given.code]) {
      const { ok } = await world.call(way.method, { ...given, code }, "");
      expect(ok).toBe(code === given.code);
    }
    expect(calls).toEqual(["opens", "opens"]);
  } finally {
    client!.close();
    await watched.close();
  }
});
