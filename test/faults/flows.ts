import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [flow, claims] = ["domain/flow.ts", "domain/set-claims.ts"];
const [actions, effects] = ["provider/token/actions.ts", "provider/token/action-effects.ts"];
const running = "provider/token/running.ts";
const comer = "domain/comer.ts";

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
  ["inactive action that runs", at(running, " && !state.isInactive", "")],
  ["later action that replaces a claim", at(claims, " || Object.hasOwn(taken.set, name)", "")],
  ["claims without a bound", at(claims, "bytesOf(taken) <= bytesMax", "bytesOf(taken) >= 0")],
  [
    "token in spite of an action that must not fail",
    at(running, "if (!allowedToFail) parts.refuseFailedAction();", ""),
  ],
  [
    "message of a script in an event",
    at(
      running,
      "{ flow: number, trigger, ...problem };",
      "{ flow: number, trigger, ...problem, message };",
    ),
  ],
  [
    "failures recorded without a bound",
    at(running, "failuresMs, failuresOfHour)", "failuresMs, 1e9)"),
  ],
  [
    "failure past the bound that is not logged",
    at(running, 'parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");', ""),
    at(
      running,
      "  if (counted === undefined) return;\n",
      '  if (counted === undefined) return;\n  parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");\n',
    ),
  ],
  ["message of a script left out of the log", at(running, ", scriptMessage: message }", " }")],
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
    at(
      actions,
      "metadata: await keepMetadata(parts, { subject, running, kept: metadata }, effects),",
      "metadata: (await keepMetadata(parts, { subject, running, kept: metadata }, effects), metadata),",
    ),
  ],
  [
    "metadata written without a bound",
    at(effects, "metadataMs, metadataOfDay)", "metadataMs, 1e9)"),
  ],
  [
    "address of an action taken for one of the provider",
    at(comer, ": { email, isEmailVerified: false, emailVerifiedBy: undefined };", ": { email };"),
  ],
  [
    "metadata kept with who has come that nobody may have",
    at(comer, " && mayBeMetadata(key, value)", ""),
  ],
  ["typed address taken for one of the provider", at(comer, "...(isSame ? {} : unverified)", "")],
  [
    "roles of another organization by an action",
    at(
      "domain/grant.ts",
      "const refused = refuseReach(states, given);",
      "const refused = undefined;",
    ),
  ],
  [
    "tokens of a provider told to all scripts",
    at("provider/login/actions.ts", "site.actionsTokens && tokens", "tokens"),
  ],
  [
    "person let in in spite of an action that must not fail",
    at("provider/login/onward.ts", "await afterLogin(open, found, shown.factors);", ""),
  ],
];

/** The tests that catch them. */
export const flowParts = [
  ["test/cases/flow\\.", "test/provider/actions"],
  ["test/provider/external-actions\\.", "test/domain/comer\\."],
];
