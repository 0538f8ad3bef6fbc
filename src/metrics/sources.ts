import type { KeyPairs } from "../secrets/key-pairs.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import type { Store } from "../store/store.ts";
import type { Meters } from "./families.ts";

/** What is asked at each reading; what of it is known elsewhere has no second count here. */
export interface Sources {
  readonly store: Pick<Store, "condition" | "head" | "ready">;
  readonly now: () => number;
  readonly passwords: Pick<Passwords, "waiting">;
  readonly keyPairs: Pick<KeyPairs, "waiting">;
  /** The place in the log of each open watch. */
  readonly watched: ReadonlySet<{ after(): bigint }>;
}

/** What becomes of each figure of a condition: the meter, its label, and what it is divided by. */
const figures: { readonly [figure: string]: readonly [keyof Meters, string?, number?] } = {
  freeBytes: ["freeBytes"],
  walBytes: ["walBytes"],
  connections: ["connections"],
  waitingForConnection: ["queues", "database"],
  waitingAppends: ["queues", "appends"],
  checkedEvents: ["verified"],
  headLagEvents: ["headLag"],
  postponedMessages: ["waitingMessages", "postponed"],
  dueMessages: ["waitingMessages", "due"],
  retriedMessages: ["waitingMessages", "retried"],
  oldestMessageMs: ["oldestMessage", "", 1_000],
  mailsFailingMs: ["failingChannels", "email", 1_000],
  smsFailingMs: ["failingChannels", "sms", 1_000],
  actionRuns: ["actionRuns"],
  failedActionRuns: ["actionFailures"],
};

/** Sets all that is not counted as it happens. What cannot be read now is left out. */
export async function readSources(sources: Sources, meters: Meters): Promise<void> {
  const { store, now, passwords, keyPairs, watched } = sources;
  const set = (key: keyof Meters, value: number | undefined, label = "") =>
    meters[key].set(meters[key].series(label), value);
  const [condition, head, isReady] = await Promise.all([
    store.condition(now()).catch(() => undefined),
    store.head().catch(() => undefined),
    store.ready().then(
      () => true,
      () => false,
    ),
  ]);
  for (const [figure, [key, label, by = 1]] of Object.entries(figures)) {
    const value = condition?.figures[figure];
    set(key, value === undefined ? undefined : value / by, label);
  }
  const positions = [...watched].map((one) => one.after());
  const slowest = positions.reduce(
    (least, one) => (one < least ? one : least),
    head?.position ?? 0n,
  );
  set("warnings", condition?.warnings.length);
  set("position", head && Number(head.position));
  set("watches", watched.size);
  set("watchLag", head && Number(head.position - slowest));
  set("ready", Number(isReady));
  set("queues", passwords.waiting(), "passwords");
  set("queues", keyPairs.waiting(), "keys");
}
