import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { allowing } from "../fetch/listener.ts";
import { isFull, patience } from "../harness/extent.ts";
import { type Parties, startParties } from "./relying.ts";

// A person with as many sessions as may be, each with several applications: in full, the most.
const count = isFull ? loginLimits.told : 3;

interface Heard {
  readonly aud: string;
  readonly sid: string;
  readonly sub: string;
  readonly jti: string;
}

let parties: Parties;
const heard: Heard[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text) => (body += text));
  request.on("end", () => {
    const [, claims = ""] = (new URLSearchParams(body).get("logout_token") ?? "").split(".");
    heard.push(JSON.parse(Buffer.from(claims, "base64url").toString()));
    response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fetcher = createFetcher({ allow: allowing(`127.0.0.1/32:${port}`), http: true });
  parties = await startParties({ fetcher, delivers: true });
});
afterAll(async () => {
  await parties.close();
  server.close();
});

test("who is removed leaves all sessions, and each application hears of each once", async () => {
  const { port } = server.address() as AddressInfo;
  const backChannelLogoutUri = `http://127.0.0.1:${port}/logout`;
  const clientIds: string[] = [];
  for (let i = 0; i < count; i += 1) {
    clientIds.push((await parties.givenApp({ backChannelLogoutUri })).clientId);
  }
  const { userId } = await parties.givenPerson();
  const sessionIds = Array.from({ length: loginLimits.sessions }, () => v7());
  for (const sessionId of sessionIds) await join(userId, sessionId, clientIds);
  const after = await parties.server.head();
  await parties.call("DELETE", `/management/v1/users/${userId}`);
  const all = sessionIds.length * count;
  const logouts = await settled(after, all);

  const asked = logouts.filter(({ type }) => type === "logout.asked");
  // What is rewritten when one has been told is no longer for it that many sessions ended at once.
  expect(new Set(asked.map(({ stream }) => stream)).size).toBe(sessionIds.length);
  expect(asked.map(({ payload }) => JSON.parse(payload))).toEqual(
    sessionIds.toReversed().map((sessionId) => ({ userId, sessionId, told: clientIds })),
  );
  // All of it came with the removal.
  const [removed] = await parties.server.events(after);
  expect([removed?.type, Number(asked.at(-1)?.position) - Number(removed?.position)]).toEqual([
    "user.removed",
    sessionIds.length,
  ]);
  expect(logouts.filter(({ type }) => type === "logout.sent")).toHaveLength(all);
  // One whose answer comes late is told again, by what says that it is the same.
  const told = new Map(heard.map(({ jti, aud, sid }) => [jti, `${sid} ${aud}`]));
  expect([...told.values()].sort()).toEqual(
    sessionIds.flatMap((sid) => clientIds.map((aud) => `${sid} ${aud}`)).sort(),
  );
  expect(new Set(heard.map(({ sub }) => sub))).toEqual(new Set([userId]));
});

/** Records that the person has logged in to the applications, in a session. */
async function join(userId: string, sessionId: string, clientIds: readonly string[]) {
  const events: readonly UserEvent[] = [
    {
      type: "user.human.session.begun",
      payload: { sessionId, clientId: "c", factors: ["password"], browser: "b" },
    },
    ...clientIds.map((clientId): UserEvent => {
      return { type: "user.human.session.joined", payload: { sessionId, clientId } };
    }),
  ];
  const outcome = await parties.server.execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    decide: () => ({ events: { user: events } }),
  });
  expect(outcome.kind).toBe("done");
}

/** Waits until so many have been told; answers the events of logouts. */
async function settled(after: bigint, told: number) {
  for (let looks = 0; looks < 500 * patience; looks += 1) {
    const events = await parties.server.events(after);
    const logouts = events.filter(({ type }) => type.startsWith("logout."));
    const ends = logouts.filter(({ type }) => type !== "logout.asked");
    if (ends.length >= told) return logouts;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("they were not told");
}
