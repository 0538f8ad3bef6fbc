import assert from "node:assert/strict";
import { expect, test } from "@jest/globals";
import type { Rejection } from "../../src/domain/decision.ts";
import type { Noun } from "../../src/domain/noun.ts";
import type { Claim, Envelope, NewEvent, RecordedEvent } from "../../src/event.ts";
import { projectObject } from "../../src/execute/projection.ts";
import { projector } from "../../src/log/projector.ts";
import { anyCharacter } from "../harness/characters.ts";
import { runs } from "../harness/extent.ts";
import { fc } from "../harness/laws.ts";

/** One command on one thing: what it decides on the state that the commands before it left. */
export type LifeCommand<State, Event extends NewEvent> = (state: State | undefined) => {
  readonly events: readonly Event[];
  readonly rejection?: Rejection;
};

const envelope: Envelope = { owner: "org-of-the-test", actor: "somebody", timeMs: 1 };

/** What was recorded of one thing, and how it ended. */
interface Life<State, Event extends NewEvent> {
  readonly log: readonly Event[];
  readonly state: State | undefined;
  /** Every claim that was taken and not released. */
  readonly held: ReadonlySet<string>;
}

/**
 * The laws that hold for every noun, whatever is done to a thing in whatever order. Some fields of
 * its rows may be there sometimes.
 */
export function holdLaws<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  command: fc.Arbitrary<LifeCommand<State, Event>>,
  sometimes: readonly string[] = [],
): void {
  const lives = fc.array(command, { maxLength: 12 });
  const check = (law: (life: Life<State, Event>) => void) =>
    fc.assert(
      fc.property(lives, (commands) => law(live(noun, commands))),
      { numRuns: runs(200) },
    );

  test("folding with a JSON round trip at each step is folding at once", () => {
    check(({ log, state }) => {
      const atOnce = log.reduce<State | undefined>(
        (before, event) => noun.evolve(before, { ...event, ...envelope }),
        undefined,
      );
      // Jest's own comparison stumbles over keys for example `constructor`.
      assert.deepStrictEqual(atOnce, state);
    });
  });

  test("the recorded events, replayed, give the state, its row and its claims", () => {
    check(({ log, state }) => {
      const { messages: _pending, ...replayed } = projector.project(recorded(noun, log));
      assert.deepStrictEqual(replayed, projectObject(noun, state));
    });
  });

  test("the messages that wait are those that were asked for and not settled", () => {
    check(({ log, state }) => {
      const events = recorded(noun, log);
      let after: State | undefined;
      const asked = log.flatMap((event, index) => {
        after = noun.evolve(after, { ...event, ...envelope });
        const messages = after === undefined ? [] : (noun.messages?.(event, after) ?? []);
        return messages.map(({ field }) => ({ position: BigInt(index + 1), field }));
      });
      const settled = log.flatMap((event) => noun.settles?.(event) ?? []);
      const waiting = asked.filter(
        ({ position, field }) =>
          !settled.some((one) => one.position === position && one.field === field),
      );
      expect(projector.project(events).messages).toEqual(state === undefined ? [] : waiting);
    });
  });

  test("what was taken and not released is what the state claims", () => {
    check(({ state, held }) => {
      expect(held).toEqual(new Set(keysOf(noun, state)));
    });
  });

  test("rows are made of texts, all under the same names", () => {
    const names = new Set<string>();
    check(({ state }) => {
      const rows = state === undefined ? [] : [noun.row(state)];
      const values = rows.flatMap(({ parent, fields }) => [parent, ...Object.values(fields)]);
      expect(values.filter((value) => typeof value !== "string")).toEqual([]);
      for (const { fields } of rows) {
        const always = Object.keys(fields).filter((name) => !sometimes.includes(name));
        names.add(JSON.stringify(always));
      }
    });
    expect(names.size).toBe(1);
  });
}

function live<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  commands: readonly LifeCommand<State, Event>[],
): Life<State, Event> {
  const log: Event[] = [];
  const held = new Set<string>();
  let state: State | undefined;
  for (const command of commands) {
    // A decision or a fold that changes what it was given throws here.
    const before = frozen(state);
    const { events, rejection } = command(before);
    assert.ok(rejection === undefined || events.length === 0);
    for (const event of events) {
      const read = frozen(plain(event));
      state = plain(noun.evolve(frozen(state), { ...read, ...envelope }));
      log.push(event);
    }
    const after = keysOf(noun, state);
    const earlier = keysOf(noun, before);
    assert.equal(new Set(after).size, after.length);
    for (const key of earlier.filter((one) => !after.includes(one))) {
      assert.ok(held.delete(key));
    }
    for (const key of after.filter((one) => !earlier.includes(one))) {
      assert.ok(!held.has(key));
      held.add(key);
    }
  }
  return { log, state, held };
}

function recorded<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  log: readonly Event[],
): readonly RecordedEvent[] {
  return log.map(({ type, payload }, index) => ({
    ...envelope,
    position: BigInt(index + 1),
    stream: `${noun.kind}-1`,
    version: index + 1,
    type,
    payload: JSON.stringify(payload),
  }));
}

function keysOf<State, Event extends NewEvent>(
  noun: Noun<State, Event>,
  state: State | undefined,
): readonly string[] {
  const claims: readonly Claim[] = state === undefined ? [] : noun.claims(state);
  return claims.map(({ kind, scope, value }) => JSON.stringify([kind, scope, value]));
}

function plain<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** Text that the field rules let through: no U+0000, well-formed, of limited length. */
export function text(charactersMax: number, charactersMin = 1): fc.Arbitrary<string> {
  const odd = fc.constantFrom("__proto__", "constructor", "toString", " ", "\u200b", "İ", "ﷺ", "1");
  const any = fc
    .string({ unit: anyCharacter, minLength: charactersMin, maxLength: charactersMax })
    .filter((value) => !value.includes("\0"));
  return fc.oneof(any, odd);
}
