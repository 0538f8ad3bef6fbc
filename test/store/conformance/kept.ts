import { expect, it } from "@jest/globals";
import { answerLimits } from "../../../src/store/answer.ts";
import { append, asking, change, eventsOf, lease, leaseMs, timeMs } from "../fixture.ts";
import type { Open } from "./place.ts";

const { keptMs } = answerLimits;

/** What a store shows of what it keeps of somebody. */
export function keptCases(open: Open): void {
  it("are the messages of one stream, the first due of them, until they are settled", async () => {
    const store = await open();
    const messages = [
      { event: 0, field: "b" },
      { event: 0, field: "a" },
    ];
    await store.append(append([change("thing-1", 0, { messages }), asking("thing-2", 0)]));
    await store.append(append([asking("thing-1", 1)], { timeMs: timeMs + 1 }));
    const pendingOf = async (stream: string, limit = 9) =>
      (await store.pendingMessages(stream, limit)).map(
        ({ position, field, dueMs }) => `${position} ${field} ${dueMs - timeMs}`,
      );
    expect(await pendingOf("thing-1")).toEqual(["1 a 0", "1 b 0", "3 code 1"]);
    expect(await pendingOf("thing-1", 2)).toEqual(["1 a 0", "1 b 0"]);
    expect(await pendingOf("thing-2")).toEqual(["2 code 0"]);
    expect(await pendingOf("thing")).toEqual([]);
    await lease(store, timeMs, 1);
    expect(await pendingOf("thing-1")).toEqual(["1 b 0", "3 code 1", `1 a ${leaseMs}`]);
    const settles = [{ position: 1n, field: "b" }];
    eventsOf(await store.append(append([change("thing-1", 2, { settles })])));
    expect(await pendingOf("thing-1")).toEqual(["3 code 1", `1 a ${leaseMs}`]);
  });

  it("are the answers of one caller, which are counted until they are removed", async () => {
    const store = await open();
    const bytes = new Uint8Array(1);
    const ofCaller = (key: string, ms: number, actor = "user-1") => {
      const remember = { key, request: bytes, answer: bytes, secret: undefined };
      return append([change(`thing-${key}`, 0)], { remember, actor, timeMs: timeMs + ms });
    };
    eventsOf(await store.append(ofCaller("1", 0)));
    eventsOf(await store.append(ofCaller("2", 5)));
    eventsOf(await store.append(ofCaller("3", 7, "user-2")));
    expect(await store.rememberedOf("user-1")).toEqual({ count: 2, newestMs: timeMs + 5 });
    expect(await store.rememberedOf("user-2")).toEqual({ count: 1, newestMs: timeMs + 7 });
    await store.forgetAnswers(timeMs + keptMs);
    expect(await store.rememberedOf("user-1")).toEqual({ count: 1, newestMs: timeMs + 5 });
    await store.forgetAnswers(timeMs + keptMs + 5);
    expect(await store.rememberedOf("user-1")).toEqual({ count: 0, newestMs: undefined });
  });
}
