// Answers that nobody takes count against what the service holds of them, as bodies do.

import { connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { GetActionRequestSchema } from "../../../gen/iam/management/v1/action_search_pb.js";
import { createAnswers, keepEach } from "../../../src/gateway/call/answers.ts";
import { createBudget } from "../../../src/gateway/call/budget.ts";
import { defaultLimits } from "../../../src/gateway/call/limits.ts";
import type { Store } from "../../../src/store/store.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import {
  bodyFor,
  type DialectName,
  dialectNames,
  dialects,
  type Fields,
  isFramed,
  send,
} from "../hostile.ts";
import { readRefusal } from "../refusal.ts";

const limits = { ...defaultLimits, answersBytesMax: 100, smallAnswerBytesMax: 10 };

const getAction = "/iam.management.v1.ManagementService/GetAction";
const rpc = dialectNames.filter((name) => name !== "rest");

describe("the budget", () => {
  test("is for small answers all there is, for larger ones half of it", () => {
    const answers = createAnswers(createBudget(), limits);
    const large = answers.hold(50);
    expect(() => answers.hold(11)).toThrow(/responses/);
    const small = Array.from({ length: 5 }, () => answers.hold(10));
    expect(() => answers.hold(1)).toThrow(/responses/);
    for (const lease of small) lease.end();
    expect(() => answers.hold(11)).toThrow(/responses/);
    large.end();
    answers.hold(50).end();
    expect(() => answers.hold(51)).toThrow(/responses/);
  });
});

test("an answer that waits is a part of the budget at least: there are `answersMax`", () => {
  jest.useFakeTimers();
  const answers = createAnswers(createBudget(), { ...defaultLimits, answersMax: 4 });
  const [first] = Array.from({ length: 4 }, () => answers.hold(1));
  // As many as are made together may be taken together.
  for (const lease of Array.from({ length: 9 }, () => answers.hold(1))) lease.end();
  jest.runAllTimers();
  // It has become even smaller.
  first?.hold(0);
  expect(() => answers.hold(1)).toThrow(/responses/);
  first?.end();
  answers.hold(1);
  jest.useRealTimers();
});

test("an answer that becomes small when it is compressed is such a part, too", () => {
  const answersMax = 8;
  const answers = createAnswers(createBudget(), { ...defaultLimits, answersMax });
  const bytes = defaultLimits.answersBytesMax / answersMax + 1;
  // Large ones stop at half of the budget.
  for (let held = 1; held < answersMax / 2; held += 1) answers.hold(bytes).hold(1);
  expect(() => answers.hold(bytes)).toThrow(/responses/);
});

describe("what streams sent last", () => {
  const bounded = { ...limits, streamAnswersBytesMax: 60 };

  test("ends the streams answered longest ago where it is one byte more than there may be", () => {
    const answers = createAnswers(createBudget(), bounded);
    const over: string[] = [];
    const keep = (name: string, bytes: number) => answers.keep(bytes, () => over.push(name));
    keep("first", 20);
    const second = keep("second", 20);
    keep("third", 20);
    expect(over).toEqual([]);
    second.end();
    second.end();
    keep("fourth", 20);
    expect(over).toEqual([]);
    keep("fifth", 21);
    expect(over).toEqual(["first", "third"]);
    keep("one of more than there may be", 61);
    expect(over.slice(2)).toEqual(["fourth", "fifth", "one of more than there may be"]);
    keep("sixth", 60);
    expect(over).toHaveLength(5);
  });

  test("does not end those that were answered little", () => {
    const answers = createAnswers(createBudget(), bounded);
    const over: number[] = [];
    for (let nth = 0; nth < 10; nth += 1) answers.keep(10, () => over.push(nth));
    answers.keep(60, () => over.push(10));
    expect(over).toEqual([]);
    answers.keep(11, () => over.push(11));
    expect(over).toEqual([10]);
  });
});

test("what streams sent last is not counted once they are over, or have sent more", async () => {
  const answers = createAnswers(createBudget(), {
    ...defaultLimits,
    streamAnswersBytesMax: 60_000,
  });
  const over: string[] = [];
  const message = create(GetActionRequestSchema, { id: "x".repeat(20_000) });
  answers.keep(20_000, () => over.push("before"));
  const stream = keepEach(createAsyncIterable([message, message, message]), answers, () => {
    over.push("itself");
  });
  for await (const _ of stream);
  answers.keep(20_000, () => over.push("after"));
  answers.keep(20_000, () => over.push("after that"));
  expect(over).toEqual([]);
});

describe("an answer that its caller does not take", () => {
  let server: TestServer;
  let id: string;
  const path = getAction;

  beforeAll(async () => {
    server = await startServer({
      limits: { answersBytesMax: 7_000, smallAnswerBytesMax: 1_000, writeTimeoutMs: 60_000 },
    });
    id = await givenAction(server);
  });
  afterAll(() => server.close());

  const request = (dialect: DialectName) =>
    dialects[dialect].body === "json"
      ? JSON.stringify({ id })
      : toBinary(GetActionRequestSchema, create(GetActionRequestSchema, { id }));
  const ask = (dialect: DialectName) =>
    send(server, dialect, { path, body: bodyFor(dialect, request(dialect)) });
  const isAnswered = ({ body }: { readonly body: Buffer }) => body.includes("xxxxxxxxxx");

  /** Has one answer made for a caller who takes none of it. */
  async function leaveUntaken(dialect: DialectName) {
    const session = connect(server.url, { settings: { initialWindowSize: 0 } });
    session.on("error", () => {});
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      authorization: `Bearer ${server.admin.token}`,
      "content-type": dialects[dialect].contentType,
      ...(isFramed(dialect) ? { te: "trailers" } : {}),
    });
    stream.on("error", () => {});
    stream.end(bodyFor(dialect, request(dialect)));
    await new Promise((resolve) => stream.once("response", resolve));
    return () => session.destroy();
  }

  test.each(["grpc", "grpc+json"] as const)(
    "is held over %s until the caller goes",
    async (held) => {
      expect(isAnswered(await ask("json"))).toBe(true);
      const leave = await leaveUntaken(held);
      for (const dialect of rpc) {
        const answer = await ask(dialect);
        expect([dialect, isAnswered(answer)]).toEqual([dialect, false]);
        const overloaded = { code: 8, reason: "ANSWERS_OVERLOADED", retryMs: 1_000 };
        expect(readRefusal(dialect, answer)).toMatchObject(overloaded);
      }
      // One who is answered little is answered still.
      const small = await send(server, "json", { body: JSON.stringify({ name: `of ${held}` }) });
      expect(small.status).toBe(200);
      leave();
      while (!isAnswered(await ask("json")));
    },
  );
});

describe("an answer of a call that ended while it was handled", () => {
  let server: TestServer;
  let id: string;
  /** What loads of the action wait for. */
  let held: Promise<void> | undefined;

  beforeAll(async () => {
    const wrap = (log: Store): Store => ({
      ...log,
      load: async (streams) => {
        if (streams.includes(`action-${id}`)) await held;
        return await log.load(streams);
      },
    });
    const limits = { answersBytesMax: 7_000, smallAnswerBytesMax: 1_000 };
    server = await startServer({ wrap, limits });
    id = await givenAction(server);
  });
  afterAll(() => server.close());

  const ask = (dialect: DialectName, fields: Fields = []) => {
    const message = create(GetActionRequestSchema, { id });
    const bytes =
      dialects[dialect].body === "json"
        ? JSON.stringify({ id })
        : toBinary(GetActionRequestSchema, message);
    return send(server, dialect, { path: getAction, body: bodyFor(dialect, bytes), fields });
  };

  test.each(rpc)("is not held over %s", async (name) => {
    const inTime = isFramed(name) ? ["grpc-timeout", "50m"] : ["connect-timeout-ms", "50"];
    for (let times = 0; times < 4; times += 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      const late = readRefusal(name, await ask(name, [inTime as [string, string]]));
      expect(late).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
      resolve();
      held = undefined;
    }
    for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
    expect((await ask(name)).body.includes("xxxxxxxxxx")).toBe(true);
  });
});

/** An action of about 2 KB; answers its id. */
async function givenAction({ url, admin }: TestServer): Promise<string> {
  const script = `// ${"x".repeat(1_800)}\nfunction a() {}`;
  const response = await fetch(`${url}/management/v1/actions`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "a", script }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { id } = (await response.json()) as { readonly id: string };
  return id;
}
