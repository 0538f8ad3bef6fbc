import { expect, test } from "@jest/globals";
import type { Execute } from "../../src/execute/execute.ts";
import { acceptTime, clockLimits, createClock } from "../../src/log/clock.ts";
import { recordHistory } from "../../src/log/history.ts";
import { repeatErasure } from "../../src/log/repeat-erasure.ts";
import { identity } from "../store/keys.ts";

/** Carries out nothing: other processes win every attempt. */
const execute: Execute = async () => ({ kind: "conflict" });

/** What somebody is told of only where it was recorded. */
const recorded: readonly (readonly [string, string, (say: () => void) => Promise<unknown>])[] = [
  [
    "a clock that is accepted",
    "the clock could not be accepted: conflict",
    (say) => {
      const clock = createClock(() => 0);
      clock.see({ position: 1n, timeMs: clockLimits.behindMaxMs + 1 });
      return acceptTime(execute, clock, { error: say, info: say });
    },
  ],
  [
    "a history that is accepted",
    "the accepted history could not be recorded: conflict",
    () => {
      const backup = { ...identity, position: 1n, link: new Uint8Array(32) };
      return recordHistory(execute, "log", { fault: "it is another log", backup });
    },
  ],
  [
    "a person who is erased again",
    "a person could not be erased again: conflict",
    () => {
      const entry = {
        log: "log",
        user: "1",
        position: 1n,
        timeMs: 1,
        reason: "asked",
        requestId: "",
      };
      return repeatErasure(execute, () => "2", { ...entry, owner: "3" });
    },
  ],
];

test("a removed person whom another node has erased since is not erased again", async () => {
  const entry = { log: "log", user: "1", position: 1n, timeMs: 1, reason: "asked", requestId: "" };
  const missing = { ...entry, owner: "3", removed: 2 };
  expect(await repeatErasure(execute, () => "2", missing)).toBe(false);
});

test.each(recorded)(
  "%s fails where it is not recorded, and is told to nobody",
  async (_, why, run) => {
    let said = 0;
    const say = () => {
      said += 1;
    };
    await expect(run(say)).rejects.toThrow(why);
    expect(said).toBe(0);
  },
);
