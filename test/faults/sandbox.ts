import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [answer, guest, machine] = ["actions/answer.ts", "actions/guest.js", "actions/machine.ts"];
const [sandbox, thread] = ["actions/sandbox.ts", "actions/thread.ts"];
const [conversation, http] = ["actions/conversation.ts", "actions/http.ts"];
const [line, pool, standing] = ["actions/line.ts", "actions/pool.ts", "actions/standing.ts"];
const priority = "actions/priority.ts";
const test = "api/action-test.ts";
const sample = "api/action-sample.ts";

/** Mistakes of what runs scripts, and of what takes what they ask for. */
export const sandboxFaults: readonly Fault[] = [
  [
    "script not interrupted at its deadline",
    at(machine, "performance.now() > pace.untilMs;\n      return", "false;\n      return"),
  ],
  ["thread of a run that does not yield kept", at(thread, "        void end();\n", "")],
  [
    "thread that is to end given another run",
    at(thread, "    ending ??= gone;\n    await", "    await"),
  ],
  ["machine without a limit", at(machine, "memoryLimit, maxStackSize,", "maxStackSize,")],
  ["calls without a limit", at(machine, "memoryLimit, maxStackSize,", "memoryLimit,")],
  ["machine kept for the next run", at(machine, "      next = undefined;\n", "")],
  [
    "memory shared between machines left",
    at(guest, "  delete globalThis.SharedArrayBuffer;\n", ""),
  ],
  [
    "script failed by what it logs",
    at(guest, `      return "[cannot be shown]";`, `      throw new TypeError("cannot be shown");`),
  ],
  ["modules looked for on the prototype", at(guest, "{ __proto__: null }", "{}")],
  ["numbers at random in a test", at(sandbox, "run.isDry ? new Uint8Array(seedBytes) :", "")],
  ["time goes on in a test", at(machine, "  if (job.isDry) pace.clock = () => dryTimeMs;\n", "")],
  [
    "effects of a run that failed",
    at(machine, "if (problem !== undefined) return tell({ log, problem });", ""),
  ],
  [
    "class of an error as the script says",
    at(machine, "errorClasses.has(name) ? name", "errorClasses ? name"),
  ],
  [
    "effect of another trigger taken",
    at(answer, "kinds.find((one) => one === kind)", "kind as EffectKind"),
  ],
  ["name that changes what an object is", at(answer, 'name === "__proto__" || ', "")],
  ["the same in a value", at(answer, 'key === "__proto__" || ', "")],
  ["values of any depth", at(answer, "    if (depth === depthMax) return false;\n", "")],
  [
    "texts that cannot be stored",
    at(answer, 'typeof one === "string" && !one.isWellFormed()', "!one && one"),
  ],
  ["all threads for one organization", at(line, "Math.floor(threads / 2)", "threads")],
  ["dry runs counted", at(sandbox, "if (!run.isDry) actionRuns", "actionRuns")],
  ["runs that wait for ever", at(line, "patience.abort(full)", "patience")],
  [
    "thread kept for the prompt given to all",
    at(line, "threads > 2 ? threads - 1 : threads", "threads"),
  ],
  ["debt that is never paid", at(standing, "/ 1_000) * partMs", "/ 1_000) * 0")],
  ["run that takes long given its way", at(priority, "cpuMs - sinceMs >= briefMs", "!cpuMs")],
  [
    "prompt organization on a thread that gives way",
    at(pool, "isPrompt && threads.size < limits.threads", "!limits"),
  ],
  ["last thread ended", at(pool, "isUsable()).length > 1", "isUsable()).length > 0")],
  ["threads that load the compiler", at(thread, "env: compileCache()", "env: {}")],
  [
    "run that goes on when nobody waits",
    at(conversation, "        Atomics.store(given, signs.isStopped, 1);\n", ""),
  ],
  ["caller who hangs up not told of", at(test, ", signal: context.signal", "")],
  ["answer for a run that has ended", at(conversation, " || over.signal.aborted", "")],
  ["any host asked", at(http, "!hosts.includes(host)", "!hosts")],
  ["hosts asked in clear text", at(http, 'protocol !== "https:"', "protocol === undefined")],
  ["requests without a number", at(http, "calls > httpCalls", "calls < 0")],
  [
    "fields of the connection sent",
    at(http, 'reserved.has(name) || name.startsWith("proxy-")', "!name"),
  ],
  [
    "context of a test nested without an end",
    at("domain/action.ts", "isOne && !isTooDeep(value)", "isOne"),
  ],
  ["run begun behind the end", at(sandbox, "isClosed ? undefined : await", "await")],
  ["claim set twice", at("domain/set-claims.ts", "Object.hasOwn(claims, name) || ", "")],
  ["reserved claim set", at("domain/set-claims.ts", "!reserved.has(name) && ", "")],
  ["claim of ours set", at("domain/set-claims.ts", "iam|zitadel", "zitadel")],
  [
    "person of another organization shown to a script",
    at(sample, "|| found?.state.organization !== organization", "|| found === undefined"),
  ],
  ["test at another time each time", at(test, "isDry: true", "isDry: false")],
];
