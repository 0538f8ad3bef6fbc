import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const unit = "provider/base/unit.ts";

/** Faults in what makes one commit of what a request writes. */
export const unitFaults: readonly Fault[] = [
  [
    "what is held never written",
    at(unit, "        await write([]);\n        return result;", "        return result;"),
  ],
  [
    "what is held written after the answer",
    at(
      unit,
      "        await write([]);\n        return result;",
      `        const last = held().splice(0);
        setImmediate(() => void writeAll(last, []));
        return result;`,
    ),
  ],
  [
    "what is held not seen by who holds it",
    at(
      unit,
      "writeTo(rows, [change], nowMs);",
      "writeTo(rows, change.kind ? [] : [change], nowMs);",
    ),
  ],
  [
    "what is held left behind by what is written at once",
    at(
      unit,
      "=> writeAll(held().splice(0), changes);",
      "=> writeAll(changes.length > 0 ? [] : held().splice(0), changes);",
    ),
  ],
  ["a second use that is answered", at(unit, "await last.refuse?.();", "await Promise.resolve();")],
  [
    "what is held written though the work has failed",
    at(unit, `.filter(({ change }) => change.kind === "giveBack")`, ""),
  ],
  [
    "tries kept of work that has failed",
    at(unit, `.filter(({ change }) => change.kind === "giveBack")`, ".slice(0, 0)"),
  ],
  [
    "what a request has read known to all that follow",
    at(
      unit,
      "  const requests = new AsyncLocalStorage<Current>();",
      `  const requests = new AsyncLocalStorage<Current>();
  const everything: Current["read"] = new Map();`,
    ),
    at(unit, "requests.run({ read: new Map(), held", "requests.run({ read: everything, held"),
  ],
  [
    "grants that hold nothing",
    at("provider/library/library.ts", "parts.unit.hold(work)", "work()"),
  ],
  [
    "logins that hold nothing",
    at("provider/library/library.ts", "  provider.use(holdLogins(parts));\n", ""),
  ],
  [
    "pages that hold nothing",
    at("provider/login/open.ts", "site.unit.hold(() => answer(open))", "answer(open)"),
  ],
  [
    "an application read whenever it is looked at",
    at(
      "provider/base/rows.ts",
      "return await unit.once(",
      "return await ((_name: string, read: () => Promise<FoundApp | undefined>) => read())(",
    ),
  ],
  [
    "cookies of a login whose end was not written",
    at("provider/library/library.ts", `      ctx.remove("set-cookie");\n`, ""),
  ],
];

/** Faults in the changes of artifacts that one commit of a store has. */
export const artifactFaults: readonly Fault[] = [
  [
    "a bound of artifacts that stops nothing",
    ["../artifact.ts", "    if (isStopped(change, uses)) break;\n", ""],
  ],
  [
    "a use of what is not there within its bound",
    ["../artifact.ts", "(uses < 1 || uses > usesMax)", "uses > usesMax"],
  ],
  [
    "what a clock was ahead for counted on",
    ["../artifact.ts", "isOnce || (there?.expiresMs ?? 0) <=", "isOnce || 0 <="],
  ],
  [
    "what may happen once counted anew",
    ["../artifact.ts", "isOnce || (there?.expiresMs ?? 0) <=", "(there?.expiresMs ?? 0) <="],
  ],
  [
    "of many changes of artifacts the first alone",
    ["artifacts.ts", "writeTo(rows, changes, nowMs)", "writeTo(rows, changes.slice(0, 1), nowMs)"],
  ],
  [
    "an artifact kept anew without its uses",
    ["artifacts.ts", "keptWith(artifact, kept))", "keptWith(artifact))"],
  ],
  [
    "an artifact that is there not kept anew",
    ["artifacts.ts", "insert.run(seal(added)).changes > 0", "insert.run(seal(added)).changes >= 0"],
  ],
  [
    "of too many artifacts, those that end last go",
    ["artifacts.ts", "ORDER BY expires DESC, key LIMIT -1", "ORDER BY expires, key LIMIT -1"],
  ],
];
