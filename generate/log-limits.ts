import { auditLimits } from "../src/log/audit.ts";
import { clockLimits } from "../src/log/clock.ts";
import { headLimits } from "../src/log/heads.ts";
import { metricLimits } from "../src/metrics/limits.ts";
import { objectLimits } from "../src/store/objects.ts";
import { postgresLimits } from "../src/store/postgres/limits.ts";
import { sqliteLimits, storageLimits } from "../src/store/sqlite/limits.ts";
import { type Group, group, refused } from "./limit-group.ts";

const { roomMs, roomBytes, followedEvents } = sqliteLimits;
const { knownVersionCharacters, knownArtifactCharacters } = sqliteLimits;
const { connections, connectMs, statementMs, lockMs, outcomeMs } = postgresLimits;
const { fewerMs, failuresMs, checkedAtOnce, artifactTries, besideMs } = postgresLimits;
const { catchUpEvents, catchUpRounds, streamsAtOnce, discardMs } = postgresLimits;
const { switchLockMs, switchIdleMs, switchTries, transactionIdleMs } = postgresLimits;
const { lists, listsOfAsker, waitingLists } = postgresLimits;
const connectionLimits = {
  ...{ connections, connectMs, fewerMs, statementMs, lockMs, outcomeMs, failuresMs, checkedAtOnce },
  ...{ artifactTries, besideMs, catchUpEvents, catchUpRounds, streamsAtOnce, discardMs },
  ...{
    transactionIdleMs,
    switchLockMs,
    switchIdleMs,
    switchTries,
    lists,
    listsOfAsker,
    waitingLists,
  },
  ...{ roomMs: postgresLimits.roomMs, roomBytes: postgresLimits.roomBytes },
};
const waits = "the next one waits";
const closed = "the connection is closed";

/** Bounds on where the log lies, its clock, its heads and its check. */
export const logGroups: readonly Group[] = [
  group(
    "Storage",
    "src/store/sqlite/limits.ts",
    {
      ...{ ...storageLimits, roomMs, roomBytes, followedEvents },
      ...{ knownVersionCharacters, knownArtifactCharacters },
    },
    {
      upkeepMs: [
        "Milliseconds between two checks of the files",
        "a WAL that was not written meanwhile is checkpointed",
      ],
      checkpointBytes: ["Bytes of the WAL while it is written", "a thread checkpoints it"],
      checkpointBytesHere: ["Bytes of a checkpoint on the event loop", "a thread makes it"],
      failuresMs: ["Milliseconds for which failures of one kind are counted", "they are logged"],
      walBytesKept: ["Bytes that the WAL keeps after a reset", "they are freed"],
      walBytesMax: ["Bytes of the WAL", "the log and `/readyz` warn"],
      messagesCounted: ["Messages of one kind that wait", "`/readyz` stops counting"],
      freeBytesMin: ["Bytes of free disk space", "below it, the log and `/readyz` warn"],
      roomMs: ["Milliseconds between two checks of `/readyz` for free space", "–"],
      roomBytes: ["Bytes that such a check writes and removes", "–"],
      followedEvents: [
        "Events of other processes that are checked in one step before a write",
        "a further step checks the next ones",
      ],
      knownVersionCharacters: [
        "Characters of the names of objects whose version a process remembers",
        "with one more, all are read again",
      ],
      knownArtifactCharacters: [
        "Characters of what logins leave behind that a process remembers, and of the names by which it counts that",
        "with one more, all is read again",
      ],
    },
  ),
  group("Objects in memory", "src/store/objects.ts", objectLimits, {
    keptBytes: [
      "Bytes of objects that a process remembers, their names included",
      "those used last are kept",
    ],
  }),
  group("The database", "src/store/postgres/limits.ts", connectionLimits, {
    lists: ["Lists read at once, one of them for the service itself", waits],
    listsOfAsker: ["Of these, lists for one organization", waits],
    waitingLists: [
      "Lists that wait; one of the organization with most of them leaves first",
      refused("LISTS_OVERLOADED"),
    ],
    connections: [
      "Connections of one process; several processes share them, with at least 4 each",
      waits,
    ],
    connectMs: ["Milliseconds of waiting for a connection", refused("UNAVAILABLE")],
    fewerMs: ["Milliseconds after the database refused a connection", "another one is tried"],
    statementMs: ["Milliseconds of a statement", "the database cancels it"],
    transactionIdleMs: [
      "Milliseconds for which a node may be silent in a transaction",
      "the database ends its connection",
    ],
    lockMs: ["Milliseconds that an append waits for others", refused("UNAVAILABLE")],
    outcomeMs: ["Milliseconds to find out the outcome of a commit", refused("OUTCOME_UNKNOWN")],
    failuresMs: ["Milliseconds for which failures of one kind are counted", "they are logged"],
    checkedAtOnce: ["Events or objects in one step of a check while the service runs", "it pauses"],
    besideMs: [
      "Milliseconds for which other nodes count as writing at the same time",
      "their events are checked before the next write",
    ],
    catchUpEvents: [
      "Events that the tables of a new revision may lack when it takes over",
      "another round adds them while nodes still write",
    ],
    catchUpRounds: ["Such rounds", "writes wait until the rest is added"],
    streamsAtOnce: ["Streams whose rows a round makes together", "the next ones follow"],
    switchLockMs: [
      "Milliseconds for which a node that takes over waits for a lock while writes wait",
      "writes go on, and it tries again",
    ],
    switchIdleMs: [
      "Milliseconds for which it may be silent while writes wait",
      "the database ends its connection, and its start fails",
    ],
    switchTries: ["Such tries", "its start fails"],
    discardMs: [
      "Milliseconds for which tables of an older revision are waited for that somebody reads",
      "the next start removes them",
    ],
    roomMs: ["Milliseconds between two checks of `/readyz` for free space", "–"],
    roomBytes: ["Bytes that such a check writes and removes", "–"],
    artifactTries: [
      "Attempts to change a row of logins while other nodes change it",
      refused("UNAVAILABLE"),
    ],
  }),
  group("The clock", "src/log/clock.ts", clockLimits, {
    behindMaxMs: ["Milliseconds that the clock may be behind the log", refused("CLOCK_WENT_BACK")],
    overlapMs: [
      "Milliseconds that an event may be dated before the previous one if both overlap",
      "it is decided again with the time of the previous one",
    ],
    jumpMaxMs: ["Milliseconds that the clock may jump", "it counts as unsettled"],
    settleMs: ["Milliseconds until it counts as settled again", "messages may be given up"],
  }),
  group("Heads outside of the log", "src/log/heads.ts", headLimits, {
    everyMs: ["Milliseconds that a head may be behind the log", "it is written"],
    events: ["Events that a head may be behind the log", "it is written"],
    followMs: ["Milliseconds between two checks for events of other nodes", "the head is written"],
    retryMs: ["Milliseconds after a failed write of a head", "it is tried again"],
  }),
  group("The check of the log while it is served", "src/log/audit.ts", auditLimits, {
    afterMs: ["Milliseconds from the start to the first check", "–"],
    everyMs: ["Milliseconds from the end of a check to the next", "–"],
    retryMs: ["Milliseconds from a check that failed before its end to the next", "–"],
    corePercent: ["Percent of a core that the check uses", "it pauses"],
    pieceMs: ["Milliseconds of one step", "it pauses"],
  }),
  group("Metrics", "src/metrics/limits.ts", metricLimits, {
    series: ["Series of all metrics, which the metrics share out", "the service does not start"],
    applications: ["Applications whose logins have series of their own", "they count for `other`"],
    watchedApplications: [
      "Further applications whose logins are counted",
      "the least busy one is forgotten",
    ],
    connections: ["Connections to the port of metrics", closed],
    keptMs: ["Milliseconds for which all who ask get the same text", "it is made anew"],
    answerMs: [
      "Milliseconds in which one of several processes tells its metrics",
      "those that it told last are taken",
    ],
    requestMs: ["Milliseconds within which a request for metrics must arrive", closed],
  }),
];
