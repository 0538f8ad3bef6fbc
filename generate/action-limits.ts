import { sandboxLimits } from "../src/actions/limits.ts";
import { actionLimits } from "../src/domain/action.ts";
import { flowLimits } from "../src/domain/flow.ts";
import { setClaimLimits } from "../src/domain/set-claims.ts";
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
    briefMs: [
      "Milliseconds of CPU time of a run",
      "on Linux its thread gives way to all others for good",
    ],
    partMs: [
      "Milliseconds of runs in a second that are the part of an organization",
      "the others are a debt",
    ],
    debtMs: [
      "Milliseconds of such a debt, which the part pays off while less runs",
      "the organization is slow: its runs get threads that give way, and not the one that is kept",
    ],
    debtMostMs: ["Milliseconds of the largest debt", "the debt stays at that"],
    organizations: ["Organizations whose runs are remembered", "the longest unseen is forgotten"],
    waiting: ["Runs that wait for a thread: of prompt organizations, and again of others", busy],
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
    httpCalls: ["Requests of a run to hosts", "the script is thrown an error"],
    httpBytes: ["Bytes of such a request, and of its answer", "the script is thrown an error"],
    messageCharacters: ["Characters of the message of its problem", "it is truncated"],
  }),
  group("Flows", "src/domain/flow.ts", flowLimits, {
    actionsOfTrigger: ["Actions that run at one trigger", "refused with `INVALID_FIELDS`"],
  }),
  group("Claims that actions set", "src/domain/set-claims.ts", setClaimLimits, {
    bytes: [
      "UTF-8 bytes of them in one token as JSON, with their logs twice",
      "they are not set, which their log says where it has room",
    ],
  }),
  group("What is recorded of actions", "src/domain/action.ts", actionLimits, {
    failuresOfHour: ["Failures of an action within `failuresMs`", "logged, and not recorded"],
    failuresMs: ["Milliseconds for which such a failure counts", "–"],
    metadataOfDay: [
      "Changes of metadata by actions for one person within `metadataMs`",
      "nothing is kept, and the token is made all the same",
    ],
    metadataMs: ["Milliseconds for which such a change counts", "–"],
  }),
];
