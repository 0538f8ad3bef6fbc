import { auditLimits } from "../src/log/audit.ts";
import { clockLimits } from "../src/log/clock.ts";
import { headLimits } from "../src/log/heads.ts";
import { postgresLimits } from "../src/store/postgres/limits.ts";
import { sqliteLimits, storageLimits } from "../src/store/sqlite/limits.ts";
import { type Group, group } from "./limit-group.ts";

const { roomMs, roomBytes, followedEvents } = sqliteLimits;
const { connections, connectMs, statementMs, lockMs, outcomeMs } = postgresLimits;
const { fewerMs, failuresMs, checkedAtOnce, artifactTries, besideMs } = postgresLimits;
const connectionLimits = {
  ...{ connections, connectMs, fewerMs, statementMs, lockMs, outcomeMs, failuresMs, checkedAtOnce },
  ...{ artifactTries, besideMs },
  ...{ roomMs: postgresLimits.roomMs, roomBytes: postgresLimits.roomBytes },
};
const waits = "the next one waits for it";

const refused = (reason: string) => `refused with \`${reason}\``;

/** Bounds on where the log lies, its clock, its heads and its check. */
export const logGroups: readonly Group[] = [
  group(
    "Storage",
    "src/store/sqlite/limits.ts",
    { ...storageLimits, roomMs, roomBytes, followedEvents },
    {
      upkeepMs: ["Milliseconds between two looks at the files, each with a checkpoint", "–"],
      failuresMs: ["Milliseconds for which failures of a kind are counted", "they are told"],
      walBytesKept: ["Bytes that the WAL keeps when it begins anew", "they are given back"],
      walBytesMax: ["Bytes of the WAL", "the log and `/readyz` warn"],
      postponedCounted: ["Messages that wait for their quota", "`/readyz` counts no more"],
      freeBytesMin: ["Bytes of free disk, below which", "the log and `/readyz` warn"],
      roomMs: ["Milliseconds after which `/readyz` tries anew whether there is room", "–"],
      roomBytes: ["Bytes that it then writes and takes away again", "–"],
      followedEvents: [
        "Events of other processes that are checked at once before one writes behind them",
        "the next ones, before it writes",
      ],
    },
  ),
  group("The database", "src/store/postgres/limits.ts", connectionLimits, {
    connections: ["Connections of one process; of several together, but 4 each", waits],
    connectMs: ["Milliseconds for which a connection is waited for", refused("UNAVAILABLE")],
    fewerMs: ["Milliseconds after the database has refused a connection", "another is tried"],
    statementMs: ["Milliseconds of a statement, from here", "it is given up"],
    lockMs: ["Milliseconds for which an append waits for others", refused("UNAVAILABLE")],
    outcomeMs: ["Milliseconds to learn what became of a commit", refused("OUTCOME_UNKNOWN")],
    failuresMs: ["Milliseconds for which failures of a kind are counted", "they are told"],
    checkedAtOnce: ["Events or objects in one piece of a check while it is served", "it rests"],
    besideMs: [
      "Milliseconds for which others count as writing at the same time",
      "what they wrote is checked before it is written on",
    ],
    roomMs: ["Milliseconds after which `/readyz` tries anew whether there is room", "–"],
    roomBytes: ["Bytes that it then writes and takes away again", "–"],
    artifactTries: [
      "Tries to change a row of logins that other nodes change at the same time",
      refused("UNAVAILABLE"),
    ],
  }),
  group("The clock", "src/log/clock.ts", clockLimits, {
    behindMaxMs: ["Milliseconds that it may be behind the log", refused("CLOCK_WENT_BACK")],
    overlapMs: [
      "Milliseconds by which an event may be dated before the one in front of it, where both overlap",
      "it is decided anew, at the time of that one",
    ],
    jumpMaxMs: ["Milliseconds that it may move at once", "it is not settled"],
    settleMs: ["Milliseconds until it is settled again", "messages may be given up"],
  }),
  group("Heads outside of the log", "src/log/heads.ts", headLimits, {
    everyMs: ["Milliseconds that they may be behind the log", "they are written"],
    events: ["Events that they may be behind it", "they are written"],
    followMs: ["Milliseconds between two looks at what others appended", "they are written"],
    retryMs: ["Milliseconds after a place could not be written", "it is tried again"],
  }),
  group("The check of the log while it is served", "src/log/audit.ts", auditLimits, {
    afterMs: ["Milliseconds after the start until it begins", "–"],
    everyMs: ["Milliseconds after its end until it begins anew", "–"],
    corePercent: ["Hundredths of a core that it takes", "it rests"],
    pieceMs: ["Milliseconds that it reads and works at once", "it rests"],
  }),
];
