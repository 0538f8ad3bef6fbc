import type { Attempt } from "../../domain/sending.ts";
import type { Condition } from "../../store/condition.ts";
import type { Store } from "../../store/store.ts";
import type { Message } from "../message/message.ts";

type Channel = Message["channel"];

/** How it is told that a channel takes nothing; every time is in milliseconds. */
export const troubleLimits = {
  /** From the first attempt that failed to when it is told, unless one succeeds before. */
  untoldMs: 60_000,
  /** From the last attempt that failed: what nobody tries any more is told no longer. */
  toldMs: 24 * 60 * 60_000,
} as const;

/** Since when a channel has taken nothing (Unix milliseconds), and why not. */
interface Trouble {
  readonly sinceMs: number;
  readonly problem: string;
}

/** What is told of each channel: the figure, and what begins the sentence. */
const told = {
  email: { figure: "mailsFailingMs", what: "Mails" },
  sms: { figure: "smsFailingMs", what: "SMS" },
} as const satisfies { readonly [channel in Channel]: object };

const keyOf = (channel: Channel) => `Trouble:${channel}`;

/**
 * Keeps the result of an attempt for its channel, for all processes. A permanently refused message
 * says nothing: there may be no such mailbox.
 */
export async function noteAttempt(
  { artifacts }: Pick<Store, "artifacts">,
  channel: Channel,
  attempt: Attempt,
  nowMs: number,
): Promise<void> {
  if (attempt.kind === "refused") return;
  const before = await findTrouble({ artifacts }, channel, nowMs);
  if (attempt.kind === "missed") {
    const trouble: Trouble = { sinceMs: before?.sinceMs ?? nowMs, problem: attempt.problem };
    const artifact = {
      key: keyOf(channel),
      payload: JSON.stringify(trouble),
      expiresMs: nowMs + troubleLimits.toldMs,
    };
    await artifacts.write([{ kind: "put", artifact }], nowMs);
  } else if (before !== undefined) {
    await artifacts.write([{ kind: "remove", key: keyOf(channel) }], nowMs);
  }
}

async function findTrouble(
  { artifacts }: Pick<Store, "artifacts">,
  channel: Channel,
  nowMs: number,
): Promise<Trouble | undefined> {
  const kept = await artifacts.find(keyOf(channel), nowMs);
  return kept && (JSON.parse(kept.payload) as Trouble);
}

/** The store, whose condition says as well for how long channels have taken nothing. */
export function tellingTroubles<S extends Pick<Store, "condition" | "artifacts">>(store: S): S {
  return {
    ...store,
    condition: async (nowMs: number): Promise<Condition> => {
      const { figures, warnings } = await store.condition(nowMs);
      // A figure that cannot be read is left out.
      const channels = await Promise.all([
        tell(store, "email", nowMs),
        tell(store, "sms", nowMs),
      ]).catch(() => []);
      return {
        figures: Object.assign({}, figures, ...channels.map((one) => one.figures)),
        warnings: [...warnings, ...channels.flatMap((one) => one.warnings)],
      };
    },
  };
}

async function tell(
  store: Pick<Store, "artifacts">,
  channel: Channel,
  nowMs: number,
): Promise<Condition> {
  const { figure, what } = told[channel];
  const trouble = await findTrouble(store, channel, nowMs);
  const failingMs = trouble === undefined ? 0 : Math.max(0, nowMs - trouble.sinceMs);
  const figures = { [figure]: failingMs };
  if (trouble === undefined || failingMs < troubleLimits.untoldMs) return { figures, warnings: [] };
  const minutes = Math.floor(failingMs / 60_000);
  return { figures, warnings: [`${what} have failed for ${minutes} min: ${trouble.problem}`] };
}
