import { sandboxLimits } from "../src/actions/limits.ts";
import { type Group, group } from "./limit-group.ts";

const ends = "the run ends with a problem";
const voided = "the run fails, and nothing of it is taken";
const lost = "the others are lost";
const busy = "it is not begun (`Busy`)";

/** Bounds on what scripts of actions take, and on what is taken of them. */
export const actionGroups: readonly Group[] = [
  group("Actions", "src/actions/limits.ts", sandboxLimits, {
    threads: ["Threads for actions; half of them for one organization", "runs wait"],
    idleMs: ["Milliseconds that such a thread has nothing to do", "it ends"],
    startMs: ["Milliseconds that such a thread has to start", `${ends} (\`Failed\`)`],
    graceMs: [
      "Milliseconds past its timeout that a run has to yield",
      "its thread ends (`Timeout`)",
    ],
    waiting: ["Runs that wait for a thread", busy],
    waitingOfOrganization: ["Runs of one organization that wait before", busy],
    waitMs: ["Milliseconds that a run waits", busy],
    memoryBytes: [
      "Bytes that a script may take; its machine takes twice as many at most",
      `${ends} (\`OutOfMemory\`)`,
    ],
    stackBytes: ["Bytes of calls within calls of a script", "it throws a RangeError"],
    contextCharacters: [
      "Characters of what an action is told, as JSON",
      `${ends} (\`ContextTooLarge\`)`,
    ],
    effects: ["Effects of a run", voided],
    effectsBytes: ["Bytes of its effects, as JSON", voided],
    effectDepth: ["Lists and objects in each other, in the value of an effect", voided],
    effectNameCharacters: ["Characters of a name that an effect has", voided],
    logLines: ["Lines that a run logs", lost],
    logCharacters: ["Characters of them together, as JSON", lost],
    messageCharacters: ["Characters of the message of its problem", "it is truncated"],
  }),
];
