import { expect, test } from "@jest/globals";
import { createTurns, slowLimits } from "../../src/provider/token/slow.ts";

const { answeredMs, slowOrganizationsMax } = slowLimits;

/** Calls by a clock of their own. */
function place() {
  let nowMs = 0;
  const inTurn = createTurns(() => nowMs);
  /** Begins a call that goes on until it is ended. */
  const begin = (organization: string) => {
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const answer = inTurn(organization, async () => {
      await ended;
      return "told";
    });
    return { answer, end };
  };
  const take = async (organization: string, ms: number) => {
    const { answer, end } = begin(organization);
    nowMs += ms;
    end();
    return await answer;
  };
  return { begin, take };
}

test("an organization whose applications answer in time has any number of calls", async () => {
  const { begin, take } = place();
  expect(await take("one", answeredMs)).toBe("told");
  const calls = Array.from({ length: 20 }, () => begin("one"));
  for (const { end } of calls) end();
  expect(await Promise.all(calls.map(({ answer }) => answer))).toEqual(calls.map(() => "told"));
});

test("one whose applications do not has one at a time, and the others are let be", async () => {
  const { begin, take } = place();
  expect(await take("one", answeredMs + 1)).toBe("told");
  const first = begin("one");
  expect(await begin("one").answer).toBeUndefined();
  const other = [begin("other"), begin("other")];
  for (const { end } of [...other, first]) end();
  expect(await Promise.all(other.map(({ answer }) => answer))).toEqual(["told", "told"]);
  expect(await first.answer).toBe("told");
  // That was in time.
  const again = [begin("one"), begin("one")];
  for (const { end } of again) end();
  expect(await Promise.all(again.map(({ answer }) => answer))).toEqual(["told", "told"]);
});

test("a call that fails is over, and slow where it took long", async () => {
  let nowMs = 0;
  const inTurn = createTurns(() => nowMs);
  const failing = inTurn("one", async () => {
    nowMs += answeredMs + 1;
    throw new Error("nobody answers");
  });
  await expect(failing).rejects.toThrow("nobody answers");
  expect(await inTurn("one", async () => await inTurn("one", async () => "told"))).toBeUndefined();
});

test("so many slow organizations are remembered, and not one more", async () => {
  const { begin, take } = place();
  for (let count = 0; count <= slowOrganizationsMax; count += 1) {
    await take(`organization ${count}`, answeredMs + 1);
  }
  const secondOf = async (organization: string) => {
    const [first, second] = [begin(organization), begin(organization)];
    for (const { end } of [first, second]) end();
    await first.answer;
    return await second.answer;
  };
  expect(await secondOf("organization 1")).toBeUndefined();
  expect(await secondOf("organization 0")).toBe("told");
});
