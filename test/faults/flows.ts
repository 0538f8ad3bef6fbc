import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [flow, claims] = ["domain/flow.ts", "domain/set-claims.ts"];
const [actions, effects] = ["provider/token/actions.ts", "provider/token/action-effects.ts"];

/** Mistakes of what runs where, and of what comes of it in tokens. */
export const flowFaults: readonly Fault[] = [
  [
    "action of another organization in a flow",
    at(flow, "if (!actionIds.every(isOwn)) return", "if (!actionIds.every(Boolean)) return"),
  ],
  [
    "removed action left in its flow",
    at("execute/dependants.ts", "flowsWith(id)", 'flowsWith("")'),
  ],
  ["inactive action that runs", at(actions, " && !state.isInactive", "")],
  ["later action that replaces a claim", at(claims, " || Object.hasOwn(taken.set, name)", "")],
  ["claims without a bound", at(claims, "bytesOf(taken) <= bytesMax", "bytesOf(taken) >= 0")],
  [
    "token in spite of an action that must not fail",
    at(actions, "if (!allowedToFail) parts.refuseFailedAction();", ""),
  ],
  [
    "message of a script in an event",
    at(effects, "{ trigger, ...problem }),", "{ trigger, ...problem, message } as never),"),
  ],
  [
    "failures recorded without a bound",
    at(effects, "failuresMs, failuresOfHour)", "failuresMs, 1e9)"),
  ],
  [
    "failure past the bound that is not logged",
    at(effects, 'parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");', ""),
    at(
      effects,
      "  if (counted === undefined) return;\n",
      '  if (counted === undefined) return;\n  parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");\n',
    ),
  ],
  ["message of a script left out of the log", at(effects, ", scriptMessage: message }", " }")],
  [
    "grants of groups left out",
    at(
      "execute/grants.ts",
      "[grantsOf(userId), ...groups.map(grantsOfGroup)]",
      "[grantsOf(userId)]",
    ),
  ],
  [
    "metadata that counts though it is so already or refused",
    at(effects, "setMetadataByAction(known, input).rejection?.reason ??\n", ""),
    at(effects, "await giveBack();", ""),
  ],
  ["metadata that counts twice in two requests at once", at(effects, "await giveBack();", "")],
  [
    "later action that is told of metadata from before the first",
    at(actions, "kept = await keepMetadata", "await keepMetadata"),
  ],
  [
    "metadata written without a bound",
    at(effects, "metadataMs, metadataOfDay)", "metadataMs, 1e9)"),
  ],
];
