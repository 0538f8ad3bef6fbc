import type { Mistake } from "../harness/plant.ts";

/** A mistake, and in how many simulations, from seed 1 on, it has to be found. */
export interface Plant extends Mistake {
  readonly seeds: number;
}

/** What a copy has besides the service. */
export const copied = [
  "test/simulation",
  "test/simulation.ts",
  "test/harness/plant.ts",
  "test/harness/project.ts",
  "test/gateway/native/random.ts",
];

const [execute, change] = ["src/execute/execute.ts", "src/execute/change.ts"];
const [feed, deliver] = ["src/store/feed.ts", "src/notify/carry.ts"];
const worker = "src/notify/worker.ts";
const retain = "src/start/retain.ts";
const erase = "src/domain/user/erase.ts";
const [server, connection] = ["test/simulation/server.ts", "test/simulation/connection.ts"];
const [model, append] = ["test/simulation/model.ts", "test/simulation/model/append.ts"];
const [message, search] = ["test/simulation/model/message.ts", "test/simulation/model/search.ts"];

/** Mistakes of the service, and of a server or a driver that it could have. */
export const plants: readonly Plant[] = [
  {
    name: "an append is acknowledged that was not written",
    seeds: 20,
    edits: [
      [
        model,
        "return appendTo(db, append);",
        "return appendTo(db.events.length % 13 === 12 ? structuredClone(db) : db, append);",
      ],
    ],
  },
  {
    name: "what a decision relied on is not checked",
    seeds: 300,
    edits: [[execute, ".filter(({ stream }) => !changed.has(stream))", ".slice(0, 0)"]],
  },
  {
    name: "events are dated before those of others",
    seeds: 100,
    edits: [["src/log/clock.ts", "{ ...append, behindMs: overlapMs() }", "append"]],
  },
  {
    name: "the number of a group is not checked",
    seeds: 500,
    edits: [[execute, "const tallies = groups.map(", "const tallies = groups.slice(0, 0).map("]],
  },
  {
    name: "a refusal rests on what was seen before",
    seeds: 500,
    edits: [[execute, "attempt?.isAppended", "attempt !== undefined"]],
  },
  {
    name: "what is stale is decided on again after a conflict",
    seeds: 1_000,
    edits: [
      [
        execute,
        "const loaded = await loadAll(objects, refs);",
        "const loaded = recallAll(objects, refs) ?? (await loadAll(objects, refs));",
      ],
    ],
  },
  {
    name: "one who was let in stays so until the end",
    seeds: 200,
    edits: [
      [
        "src/execute/judge.ts",
        "admission && (judge(admission, states, nowMs) ?? judgeOrganization(admission, owners))",
        "nowMs < 0 ? judge(admission!, states, nowMs) : undefined",
      ],
    ],
  },
  {
    name: "an object that changes loses its claims",
    seeds: 50,
    edits: [[change, "release: difference(held, claims)", "release: held"]],
  },
  {
    name: "a claim is free while another holds it",
    seeds: 50,
    edits: [
      [append, "(holderOf(key) ?? stream) !== stream", "holderOf(key) === undefined && false"],
    ],
  },
  {
    name: "the version of a stream is not checked",
    seeds: 50,
    edits: [[append, "versionOf(stream) !== expected", "versionOf(stream) < expected"]],
  },
  {
    name: "the end of a command is not remembered",
    seeds: 200,
    edits: [[append, "  if (remember !== undefined) {", '  if (remember?.key === "") {']],
  },
  {
    name: "quotas are not kept",
    seeds: 100,
    edits: [[append, "  planned.write();\n", ""]],
  },
  {
    name: "reads lag behind what was acknowledged",
    seeds: 20,
    edits: [
      [
        model,
        "load: open((streams) => streams.map((stream) => objectOf(db, stream))),",
        `load: open((streams) =>
      streams.map((stream) => {
        const before = lagging.get(stream);
        lagging.set(stream, objectOf(db, stream));
        return before ?? objectOf(db, stream);
      }),
    ),`,
      ],
      [
        model,
        "  let isClosed = false;\n",
        "  let isClosed = false;\n  const lagging = new Map();\n",
      ],
    ],
  },
  {
    name: "an event can be seen later than one behind it",
    seeds: 50,
    edits: [
      [
        search,
        ".filter(matcherOf(query))",
        ".filter(({ position }) => position % 5n !== 0n || head - position > 2n).filter(matcherOf(query))",
      ],
    ],
  },
  {
    name: "a page ends where nobody has looked",
    seeds: 50,
    edits: [
      [search, "through: events.at(-1)?.position ?? start, isEnd: false", "through, isEnd: false"],
    ],
  },
  {
    name: "an append of unknown outcome is made again",
    seeds: 200,
    edits: [[connection, "return await resolveOutcome(id);", "return await append(made);"]],
  },
  {
    name: "an append happens after somebody was told that it did not",
    seeds: 500,
    edits: [[server, "if (!outcomes.has(id)) outcomes.set(id, undefined);", ""]],
  },
  {
    name: "one who asks what became of an append is told that it did not happen",
    seeds: 200,
    edits: [[server, "return outcomes.get(id);", "return undefined;"]],
  },
  {
    name: "a message is leased to two",
    seeds: 50,
    edits: [[message, "message.dueMs = nowMs + leaseMs;", "message.dueMs = nowMs;"]],
  },
  {
    name: "a lease from a clock that is ahead is not honoured",
    seeds: 200,
    edits: [[worker, "leaseMs + limits.backoffMaxMs", "Math.max(leaseMs, limits.backoffMaxMs)"]],
  },
  {
    name: "one who leases a message takes it away",
    seeds: 200,
    edits: [
      [
        message,
        "    message.attempts += 1;\n",
        "    message.attempts += 1;\n    db.messages.delete(messageKey(message));\n",
      ],
    ],
  },
  {
    name: "a message that was missed is told as sent",
    seeds: 50,
    edits: [[deliver, 'if (attempt.kind === "sent")', 'if (attempt.kind !== "refused")']],
  },
  {
    name: "a gap in what is held of the log",
    seeds: 100,
    edits: [
      [
        feed,
        "[held, bytes, start, end] = [[], 0, position, position]",
        "[start, end] = [position, position]",
      ],
    ],
  },
  {
    name: "one who goes on is told again of what he has",
    seeds: 50,
    edits: [[feed, "query.after - start", "query.after - start - 1n"]],
  },
  {
    name: "a follower skips what found no room",
    seeds: 50,
    edits: [[feed, "found.at(-1)?.position ?? query.after", "end"]],
  },
  {
    name: "a follower is told of what was erased",
    seeds: 4_000,
    edits: [[feed, "held = [...withoutErased(held)];", "held = [...held];"]],
  },
  {
    name: "a node forgets less of logins than another did meanwhile",
    seeds: 2_000,
    edits: [
      [retain, "id: idOf(user, stream), version }", "id: idOf(user, stream) }"],
      [retain, "newest === undefined || isErased(newest)", "newest === undefined"],
    ],
  },
  {
    name: "who is erased keeps metadata",
    seeds: 100,
    edits: [
      [erase, "const { events } = removed;", "const { metadata: _, ...events } = removed.events;"],
    ],
  },
  {
    name: "a follower is answered from before what is held",
    seeds: 200,
    edits: [[feed, "query.after < start || ", ""]],
  },
];
