import { describe, expect, test } from "@jest/globals";
import { giveBack, holdFor } from "../../../src/gateway/call/call.ts";

/** A call that holds nothing yet, and what it has given back. */
function begin() {
  const given: string[] = [];
  const call = { isOver: false, held: [] };
  const hold = (name: string) => holdFor(call, () => given.push(name));
  return { given, call, hold };
}

describe("what a call holds", () => {
  test("is kept until the call is over, and then given back once", () => {
    const { given, call, hold } = begin();
    hold("share");
    hold("room");
    expect(given).toEqual([]);
    giveBack(call);
    giveBack(call);
    expect(given).toEqual(["share", "room"]);
    expect(call.isOver).toBe(true);
  });

  test("is given back at once if the call is over when it takes it", () => {
    const { given, call, hold } = begin();
    giveBack(call);
    hold("share");
    expect(given).toEqual(["share"]);
  });
});
