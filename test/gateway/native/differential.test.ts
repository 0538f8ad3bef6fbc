import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { isFull } from "../../harness/extent.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { createRandom } from "./random.ts";
import { type Place, randomRequest, type WireRequest } from "./requests.ts";
import { type Caller, openCaller, send, type WireAnswer } from "./wire.ts";

// The native wire answers unary calls as Connect's handlers do: two services that differ in nothing
// else are asked the same.

const requests = Number(process.env.IAM_TEST_REQUESTS ?? (isFull ? 20_000 : 60));
/** Each may take tens of milliseconds on a busy machine. */
const timeoutMs = 30_000 + requests * 40;
/** Milliseconds in which every request is answered: long past the limits of these services. */
const answerMsMax = 60_000;
const seed = Number(process.env.IAM_TEST_SEED ?? 1);

let clockMs = 1_800_000_000_000;
let short: TestServer;
let long: TestServer;
let callers: readonly Caller[] = [];
let place: Place;

beforeAll(async () => {
  [short, long] = (await Promise.all([true, false].map(startCounted))) as [TestServer, TestServer];
  expect(short.admin).toEqual(long.admin);
  callers = [openCaller(short), openCaller(long)];
  const { token, organization, userId: user } = short.admin;
  const holder = await made("/management/v1/users/machine", { userName: "weak", name: "weak" });
  const { token: weakToken } = await made(`/management/v1/users/${holder.userId}/pats`, {});
  place = { token, organization, user, weakToken: String(weakToken), project: short.project };
});

afterAll(async () => {
  for (const caller of callers) caller.end();
  await Promise.all([short.close(), long.close()]);
});

test(
  `${requests} requests of seed ${seed} are answered alike`,
  async () => {
    const random = createRandom(seed);
    const answered: (readonly [unknown, unknown])[] = [];
    for (let serial = 0; serial < requests; serial += 1) {
      const request = randomRequest(place, random, serial);
      clockMs += 1_000;
      const [one, other] = await ask(request);
      expect(shown(request, one!)).toEqual(shown(request, other!));
      if (one !== "left" && other !== "left") answered.push([one!.requestId, other!.requestId]);
    }
    const [events, others] = await Promise.all([short.events(), long.events()]);
    expect(events).toEqual(others);
    const [calls, otherCalls] = [callsOf(short), callsOf(long)];
    expect(calls.size).toBeGreaterThan(requests / 2);
    for (const [id, otherId] of answered) expect(calls.get(id)).toEqual(otherCalls.get(otherId));
  },
  timeoutMs,
);

/** What both services answer; throws where one does not. */
async function ask(request: WireRequest): Promise<readonly (WireAnswer | "left")[]> {
  const late = new AbortController();
  const waiting = new Set(["short", "long"]);
  const answers = await Promise.race([
    Promise.all(
      [...waiting].map(async (way, i) => {
        const answer = await send(callers[i]!, request);
        waiting.delete(way);
        return answer;
      }),
    ),
    pause(answerMsMax, [], late).then(() => {
      const asked = JSON.stringify({ ...request, body: request.body.length });
      const windows = callers.map((caller) => caller.session().state.remoteWindowSize).join(", ");
      const who = `the ${[...waiting].join(" and the ")} way`;
      throw new Error(`${request.title}: no answer by ${who}; windows ${windows}: ${asked}`);
    }),
  ]);
  late.abort();
  return answers;
}

/** What both services answer to the same request for something new. */
async function made(path: string, message: object): Promise<{ readonly [name: string]: unknown }> {
  const answers = await Promise.all(
    [short, long].map(async ({ url, admin }) => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${admin.token}`, "content-type": "application/json" },
        body: JSON.stringify(message),
      });
      return await response.json();
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  return answers[0] as { readonly [name: string]: unknown };
}

/** An answer so that a difference can be read. */
function shown({ title }: WireRequest, answer: WireAnswer | "left") {
  if (answer === "left") return title;
  const text = answer.body.toString("latin1");
  // An error nobody foresaw names its log line.
  const body = text.replaceAll(/internal error [\w-]+/g, "internal error");
  return { title, ...answer, requestId: answer.requestId !== undefined, body };
}

/** What was logged of calls, by the ids of the requests. */
function callsOf({ logged }: TestServer): ReadonlyMap<unknown, object> {
  return new Map(
    logged()
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "call")
      .map(({ requestId, method, dialect, code, caller, organization }) => [
        requestId,
        { method, dialect, code, caller, organization },
      ]),
  );
}

/** A service whose ids, secrets and times are the same in each. */
async function startCounted(nativeWire: boolean): Promise<TestServer> {
  let ids = 0;
  let draws = 0;
  return await startServer({
    nativeWire,
    corsOrigins: ["https://app.example.com"],
    limits: { stopGraceMs: 500 },
    now: () => clockMs,
    newId: () => `00000000-0000-7000-8000-${String(++ids).padStart(12, "0")}`,
    random: (size) => Buffer.alloc(size, String(++draws)),
  });
}
