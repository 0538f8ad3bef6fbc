import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Mistakes of forgetting logins that are old. */
export const retainFaults: readonly Fault[] = [
  [
    "turn taken by a node that may not use it",
    ["../../start/periodic.ts", "if (mayBegin?.() === false) return;", ""],
  ],
  [
    "young logins forgotten",
    at("start/retain.ts", "timeMs > untilMs", "timeMs > untilMs + 60_000"),
  ],
  [
    "logins forgotten by a clock that has just been set",
    at("start/retain.ts", "    if (!isSettled()) return;\n", ""),
  ],
  [
    "logins forgotten though the service ends",
    at("start/retain.ts", "      if (signal?.aborted) return false;\n", ""),
  ],
  [
    "logins looked for though the service ends",
    at("start/retain.ts", "!page.isEnd && !signal?.aborted", "!page.isEnd"),
  ],
  [
    "answers forgotten though the service ends",
    at(
      "start/forget.ts",
      "!isEnding && (await store.forgetAnswers(now()))",
      "await store.forgetAnswers(now())",
    ),
  ],
  [
    "artifacts forgotten though the service ends",
    at(
      "start/forget.ts",
      "!isEnding && (await store.artifacts.forget(now()))",
      "await store.artifacts.forget(now())",
    ),
  ],
  ["logins forgotten by each node", at("start/periodic.ts", "if (uses !== 1) return;", "")],
  [
    "logins that became old later left",
    at(
      "start/retain.ts",
      "young < 0 ? page.through : (old.at(-1)?.position ?? through)",
      "page.through",
    ),
  ],
  [
    "logins forgotten less than another node forgot",
    at("start/retain.ts", "id: idOf(user, stream), version }", "id: idOf(user, stream) }"),
  ],
  [
    "logins forgotten less than was found to be forgotten",
    at("start/retain.ts", "newest === undefined || isErased(newest)", "newest === undefined"),
  ],
  ["logins forgotten once more each time", at("start/retain.ts", "!isErased(event)", "true")],
  [
    "state of logins not kept",
    at("domain/user/login/forget.ts", "...(login ? { login } : {}), counters", "counters"),
  ],
  ["counters of passkeys not kept", at("domain/user/login/forget.ts", "counter]),", "0]),")],
  ["what was known before left", at("store/erasure.ts", "before.type === type || ", "")],
  [
    "later events forgotten, too",
    at("store/erasure.ts", "before.version <= through && types", "types"),
  ],
  ["events of any type forgotten", at("store/erasure.ts", " && types.includes(before.type)", "")],
  [
    "logins of who was removed kept",
    at(
      "domain/user/state/user.ts",
      'if (state === undefined && event.type === "user.human.logins.forgotten") return undefined;',
      "",
    ),
  ],
];
