/** How much actions may take, in one process. */
export const sandboxLimits = {
  /** Threads, each with one run at a time. A run may take twice `memoryBytes` of memory. */
  threads: 4,
  /** Milliseconds after which a thread ends that has nothing to run. */
  idleMs: 60_000,
  /** Milliseconds that a thread has to start. */
  startMs: 10_000,
  /** Milliseconds of CPU time after which a run, and all that come after it there, give way. */
  briefMs: 20,
  /** Milliseconds of runs in a second that are an organization's part. */
  partMs: 100,
  /** Milliseconds beyond its part after which an organization is slow. */
  debtMs: 1_000,
  /** Milliseconds to which that grows, so that each is forgotten after a while. */
  debtMostMs: 10_000,
  /** Organizations whose runs are remembered. */
  organizations: 1_000,
  /** Milliseconds past its deadline after which a run that does not yield ends with its thread. */
  graceMs: 100,
  waiting: 64,
  waitingOfOrganization: 16,
  /** Milliseconds that a run waits for its turn. */
  waitMs: 5_000,
  memoryBytes: 8_388_608,
  stackBytes: 262_144,
  contextCharacters: 262_144,
  effects: 100,
  effectsBytes: 65_536,
  effectDepth: 20,
  effectNameCharacters: 200,
  logLines: 100,
  logCharacters: 8_192,
  messageCharacters: 500,
  /** Requests of a run to hosts, and bytes of each and of its answer. */
  httpCalls: 5,
  httpBytes: 65_536,
} as const;

/** The same with other numbers. */
export type SandboxLimits = { readonly [name in keyof typeof sandboxLimits]: number };
