import { flushCompileCache } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";
import { patience } from "../harness/extent.ts";
import type { Reacher } from "../reach/reached.ts";

type TimersConfig = ConstructorParameters<typeof ModernFakeTimers>[0]["config"];

/** What a test file must not leave behind, as Node calls it. */
const kinds = [
  "TCPServerWrap",
  "TCPSocketWrap",
  "TLSWrap",
  "ProcessWrap",
  "Timeout",
  "MessagePort",
];

/**
 * Where it is set, tests are skipped once one has passed and one has failed that has this in its
 * name: `test/faults.ts` wants to know no more. What failed by its timeout alone says too little.
 */
const wanted = process.env.IAM_TEST_UNTIL;
/** Of all files that run in this process. */
const seen = { passed: false, found: false, late: 0 };
/** Tests that fail by their timeouts until no more is waited for. */
const lateMax = 3;

/** Where it is set, `test/reach.ts` is told here what each file reaches. */
const reachLog = process.env.IAM_TEST_REACH;
let reacher: Reacher | undefined;

/** Milliseconds in which what has been closed has to be gone on a busy machine. */
const closingMs = 5_000 * patience;

// Nobody needs all memory to be freed object by object at the end of a worker.
process.once("beforeExit", () => process.exit());

/**
 * What a test file runs in, for Jest: Node itself and its own globals, where Jest's environments
 * make new ones for each file.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes an environment in no other way.
export default class NodeItself {
  /** Where Jest puts the console that collects what a file prints. */
  readonly global: { console?: Console } = {};
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #console = globalThis.console;
  readonly #openBefore = process.getActiveResourcesInfo();
  readonly #path: string;
  #hasFailed = false;

  constructor(
    { projectConfig }: { projectConfig: TimersConfig },
    { testPath }: { testPath: string },
  ) {
    this.#path = testPath;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {
    globalThis.console = this.global.console ?? this.#console;
    // Jest sets a hundred, and every expectation makes an error: that takes longer than the tests.
    Error.stackTraceLimit = 10;
    if (reachLog === undefined) return;
    reacher ??= await (await import("../reach/reached.ts")).Reacher.start();
    await reacher.begin();
  }

  /** Is told by Jest what becomes of the tests. */
  handleTestEvent({ name, test, error }: TestEvent): void {
    if (name === "test_fn_failure" || name === "hook_failure") this.#hasFailed = true;
    if (wanted === undefined || test === undefined) return;
    if (name === "test_start" && seen.passed && seen.found) test.mode = "skip";
    if (name === "test_fn_success") seen.passed = true;
    if (name !== "test_fn_failure" || !nameOf(test).includes(wanted)) return;
    const isLate = String(error).includes("Exceeded timeout");
    if (isLate) seen.late += 1;
    seen.found ||= !isLate || seen.late === lateMax;
  }

  /**
   * Rejects, and so fails the file, where it has left anything open. A test that failed may have:
   * then Jest is to say which one did.
   */
  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    if (reachLog !== undefined) await reacher?.end(this.#path, reachLog);
    // At the end of a worker, when Node would write it, Jest waits half a second only.
    flushCompileCache();
    globalThis.console = this.#console;
    if (this.#hasFailed) return;
    const endMs = performance.now() + closingMs;
    while (this.#open().length > 0 && performance.now() < endMs) await pause(10);
    const open = this.#open();
    if (open.length > 0) throw new Error(`It leaves open: ${open.join(", ")}`);
  }

  /** The kinds of which there is more than when the file began. */
  #open(): readonly string[] {
    const count = (all: readonly string[], kind: string) =>
      all.filter((one) => one === kind).length;
    const now = process.getActiveResourcesInfo();
    return kinds.filter((kind) => count(now, kind) > count(this.#openBefore, kind));
  }

  exportConditions(): string[] {
    return ["node", "node-addons"];
  }

  getVmContext(): null {
    return null;
  }
}

/** What is read here of an event of Jest. */
interface TestEvent {
  readonly name: string;
  readonly test?: Test;
  readonly error?: unknown;
}

interface Test extends Named {
  mode?: unknown;
}

interface Named {
  readonly name: string;
  readonly parent?: Named;
}

function nameOf({ name, parent }: Named): string {
  return parent === undefined ? name : `${nameOf(parent)} › ${name}`;
}
