import { v7 } from "uuid";
import { action } from "../../src/domain/action.ts";
import type { Noun } from "../../src/domain/noun.ts";
import { project } from "../../src/domain/project.ts";
import type { NewEvent } from "../../src/event.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { givenUser, type TestServer } from "../harness/server.ts";

/** Events in a log, by whom and when a test likes. */

export interface Happening {
  readonly noun: Noun<unknown, NewEvent>;
  readonly id: string;
  readonly owner: string;
  readonly actor: string;
  readonly timeMs: number;
  readonly events: readonly NewEvent[];
}

/** Records the events past the service, at any time; answers the position of the last of them. */
export async function happened(
  { log }: Pick<TestServer, "log">,
  { noun, id, owner, actor, timeMs, events }: Happening,
): Promise<bigint> {
  const outcome = await createExecute(
    log,
    () => timeMs,
  )({
    actor,
    writes: { object: { noun, id, owner } },
    relies: {},
    decide: () => ({ events: { object: events } }),
  });
  if (outcome.kind !== "done") throw new Error(`a given was not accepted: ${outcome.kind}`);
  return outcome.written[0]!.position;
}

/** A noun that takes events of any size and name, as `happened` wants it. */
export function anyNoun<State, Event extends NewEvent>(noun: Noun<State, Event>) {
  return noun as Noun<unknown, NewEvent>;
}

/** An action that is added and then switched off and on so often. */
export function switching(times: number, name = v7()): readonly NewEvent[] {
  const payload = { name, script: "1", timeoutNanos: 1e10, allowedToFail: false };
  const switched = Array.from({ length: times }, (_none, index) => ({
    type: index % 2 === 0 ? "action.deactivated" : "action.reactivated",
    payload: {},
  }));
  return [{ type: "action.added", payload }, ...switched];
}

/** Organizations, objects and people by the names that the tests use for them. */
export interface Names {
  readonly a: string;
  readonly b: string;
  readonly ada: string;
  readonly bob: string;
  readonly project: string;
  readonly action: string;
  readonly other: string;
}

export const startMs = Date.UTC(2020, 0, 1);

/**
 * Eight events long before all others: `project` and `action` belong to organization `a`, `other`,
 * an action with the same id as `project`, to `b`. Answers the names and the positions.
 */
export async function givenStory(
  server: TestServer,
): Promise<Names & { readonly positions: readonly bigint[] }> {
  const people = { ada: await givenUser(server, "a"), bob: await givenUser(server, "a") };
  const [ada, bob] = [people.ada.userId, people.bob.userId];
  const [a, b, one, two] = [v7(), v7(), v7(), v7()];
  const names = { a, b, ada, bob, project: one, action: two, other: one };
  const actions = anyNoun(action);
  const projects = anyNoun(project);
  const added = {
    ...{ projectRoleAssertion: false, projectRoleCheck: false, hasProjectCheck: false },
    ...{ privateLabelingSetting: "UNSPECIFIED", name: v7() },
  };
  const story: readonly (readonly [typeof actions, string, string, string, number, NewEvent])[] = [
    [projects, one, a, ada, 0, { type: "project.added", payload: added }],
    [actions, two, a, bob, 1_000, switching(0)[0]!],
    [actions, one, b, ada, 1_000, switching(0)[0]!],
    [projects, one, a, ada, 2_000, { type: "project.deactivated", payload: {} }],
    [actions, two, a, ada, 3_000, { type: "action.deactivated", payload: {} }],
    [actions, one, b, bob, 4_000, { type: "action.deactivated", payload: {} }],
    [projects, one, a, bob, 4_000, { type: "project.reactivated", payload: {} }],
    [actions, two, a, bob, 5_000, { type: "action.removed", payload: {} }],
  ];
  const positions: bigint[] = [];
  for (const [noun, id, owner, actor, afterMs, event] of story) {
    const timeMs = startMs + afterMs;
    positions.push(await happened(server, { noun, id, owner, actor, timeMs, events: [event] }));
  }
  return { ...names, positions };
}

/** The value for a server, made once for all cases that run there. */
export function oncePerServer<T>(make: (server: TestServer) => Promise<T>) {
  const made = new WeakMap<TestServer, Promise<T>>();
  return (server: TestServer): Promise<T> => {
    const known = made.get(server) ?? make(server);
    made.set(server, known);
    return known;
  };
}
