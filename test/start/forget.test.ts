import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { startForgetting } from "../../src/start/forget.ts";
import { answerLimits } from "../../src/store/answer.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, change, eventsOf, timeMs } from "../store/fixture.ts";
import { singly } from "../store/singly.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("answers and secrets whose time is over leave the file, and the others stay", async () => {
  const place = await sqlitePlace();
  const store = await place.open();
  const remembered = { request: bytes("r"), answer: bytes("a"), secret: bytes("s") };
  const ages = { new: 0, told: answerLimits.secretMs, old: answerLimits.keptMs };
  for (const [key, ageMs] of Object.entries(ages)) {
    const remember = { key, ...remembered };
    const made = append([change(`thing-${key}`, 0)], { remember, timeMs: timeMs - ageMs });
    eventsOf(await store.append(made));
  }
  await singly(store.artifacts).put({ key: "over", payload: "", expiresMs: timeMs });
  await singly(store.artifacts).put({ key: "there", payload: "", expiresMs: timeMs + 1 });
  const log = { warn: () => {} };
  const end = startForgetting({ store, log, now: () => timeMs, intervalMs: 1 });
  const rows = place
    .connect()
    .prepare("SELECT secret IS NULL FROM answers ORDER BY secret IS NULL")
    .raw();
  const wanted = [[0], [1]];
  while (JSON.stringify(rows.all()) !== JSON.stringify(wanted)) await pause(1);
  const artifacts = place.connect().prepare("SELECT key FROM artifacts").pluck();
  while (artifacts.all().length > 1) await pause(1);
  await end();
  expect(artifacts.all()).toEqual(["there"]);
  expect(rows.all()).toEqual(wanted);
  expect(await store.recall("new", timeMs)).toMatchObject({ secret: expect.anything() });
  expect(await store.recall("told", timeMs)).toMatchObject({ secret: undefined });
  await place.remove();
});

test("a store that cannot be written is told of, and tried again", async () => {
  const { promise: twice, resolve } = Promise.withResolvers<void>();
  const told: unknown[] = [];
  const forget = () => Promise.reject(new StoreUnavailable("not now"));
  const store = { forgetAnswers: forget, artifacts: { forget } };
  const warn = (fields: unknown) => {
    told.push(fields);
    if (told.length === 2) resolve();
  };
  const end = startForgetting({ store, now: () => timeMs, log: { warn }, intervalMs: 1 });
  await twice;
  await end();
  expect(told[1]).toEqual({ err: expect.any(StoreUnavailable) });
});

test.each(["answers", "artifacts"])("no more %s are removed once it ends", async (kind) => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let left = 1_000;
  const some = async () => {
    resolve();
    await nextTurn();
    left -= 1;
    return left > 0;
  };
  const none = async () => false;
  const [forgetAnswers, forget] = kind === "answers" ? [some, none] : [none, some];
  const store = { forgetAnswers, artifacts: { forget } };
  const log = { warn: () => {} };
  const end = startForgetting({ store, now: () => timeMs, log, intervalMs: 1 });
  await begun;
  await end();
  expect(left).toBeGreaterThan(900);
});
