import { expect, it } from "@jest/globals";
import type { Projector } from "../../src/store/projector.ts";
import type { Store } from "../../src/store/store.ts";
import { append, asking, eventsOf, lease, things, timeMs } from "./fixture.ts";

/** Where stores are opened with a bound of what they count. */
interface Place {
  open(projector: Projector, limits: { readonly messagesCounted: number }): Promise<Store>;
}

const dayMs = 86_400_000;

/** What a store tells operators of messages that wait for room in a quota. */
export function postponedCases(place: () => Place): void {
  const patient = { kind: "mail", scope: "", value: "org-1", most: 2, perMs: dayMs };
  const quotas = [{ ...patient, isPatient: true }];
  const asks = (nth: number) =>
    asking(`thing-${nth}`, 0, { messages: [{ event: 0, field: "code", quotas }] });

  it.each([
    [9, 3],
    [3, 3],
    [2, 2],
  ])("are told to operators, of at most %d that are counted %d", async (messagesCounted, told) => {
    const store = await place().open(things(), { messagesCounted });
    eventsOf(await store.append(append([0, 1, 2, 3, 4].map(asks))));
    const figure = async (nowMs: number) =>
      (await store.condition(nowMs)).figures.postponedMessages;
    expect(await figure(timeMs)).toBe(told);
    // What was tried and put off waits for somebody else.
    const [message] = await lease(store, timeMs, 1);
    await store.postponeMessage(message!, timeMs + dayMs);
    expect(await figure(timeMs)).toBe(told);
    expect(await figure(timeMs + dayMs / 2)).toBe(Math.min(told, 2));
    expect(await figure(timeMs + 2 * dayMs)).toBe(0);
  });
}
