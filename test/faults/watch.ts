import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [follow, watch, share] = ["api/follow.ts", "api/watch.ts", "api/watch-share.ts"];

/** Mistakes in how much all watches of a process hold. */
export const watchFaults: readonly Fault[] = [
  [
    "watches counted once they have begun to read",
    at(watch, "      count(userId, 1);\n", "      setImmediate(count, userId, 1);\n"),
  ],
  ["large events sent to all at once", at(watch, "hasPlace || !share.isLarge(events)", "true")],
  [
    "place for a large event kept",
    at(watch, "      leavePlace?.();\n      leavePlace = undefined;\n", ""),
  ],
  [
    "no sign of life behind a large event",
    at(watch, "if (leavePlace !== undefined || (came", "if ((came"),
  ],
  ["place of a watch that is gone kept", at(share, 'signal.addEventListener("abort", leave);', "")],
  [
    "places that are left listened for",
    at(share, 'signal.removeEventListener("abort", leave);', ""),
  ],
  ["payload as large as it may be taken for large", at(share, ") > largeBytes", ") >= largeBytes")],
  [
    "places taken by one organization alone",
    at(
      share,
      "shares.run(organization, () => places.run(stay, signal), signal)",
      "places.run(stay, signal)",
    ),
  ],
  [
    "places of all organizations not counted",
    at(share, "() => places.run(stay, signal)", "() => stay()"),
  ],
  [
    "large event passed over that has no place",
    at(follow, "if (!isWanted(page.events)) return undefined;", ""),
  ],
  [
    "many watches that read as much as few",
    at(watch, "Math.floor(allHeldBytes / watches)", "allHeldBytes"),
  ],
];

/** Those that have a watch wait without an end. */
export const watchWaiting: readonly string[] = [
  "place for a large event kept",
  "no sign of life behind a large event",
  "payload as large as it may be taken for large",
];
