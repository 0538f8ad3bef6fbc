import type { RecordedEvent } from "../../event.ts";
import { claimKey } from "../claim-key.ts";
import type { AppendResult } from "../store.ts";
import { verdicts } from "./append-parameters.ts";
import type { BatchColumns, Planned } from "./batch.ts";
import type { Pool } from "./pool.ts";
import { toStored } from "./text.ts";

/** What an append of a batch is told. */
export type Told =
  | { readonly kind: "result"; readonly result: AppendResult }
  /** What it was planned on was not so any more. */
  | { readonly kind: "again" }
  /** No correct caller makes such an append. */
  | { readonly kind: "wrong"; explain(pool: Pool): Promise<Error> };

/** What the function has answered of a batch. */
export interface Done {
  readonly verdicts: readonly number[];
  /** Which change, claim and so on a refusal is about, by its number from 1. */
  readonly whiches: readonly number[];
  /** The position of each append's first event. */
  readonly firsts: readonly bigint[];
  readonly head: bigint;
  readonly link: Uint8Array;
}

/** Turns the numbers that the function answers into what an append is told. */
export function toldOf(
  planned: readonly Planned[],
  { lists, changes, claims }: BatchColumns,
  { verdicts: numbers, whiches, firsts, index }: Done & { readonly index: number },
): Told {
  const one = planned[index];
  const verdict = verdicts[numbers[index] ?? -1];
  if (one === undefined || verdict === undefined)
    throw new Error("the function answers too little");
  const { append, plan } = one;
  const at = (whiches[index] ?? 0) - 1;
  const told = (result: AppendResult): Told => ({ kind: "result", result });
  switch (verdict) {
    case "appended": {
      const events = eventsFrom(firsts[index] ?? 0n, append);
      return told({ kind: "appended", events, spent: plan.spent });
    }
    case "key-taken":
      return told({ kind: "key-taken" });
    case "version-conflict":
      return told({ kind: "version-conflict", stream: changes[at]?.stream ?? "" });
    case "relied-conflict": {
      const ofThis = lists.u_command.indexOf(index + 1);
      return told({
        kind: "version-conflict",
        stream: append.unchanged[at - ofThis]?.stream ?? "",
      });
    }
    case "tally-conflict": {
      const { kind = "", scope = "" } =
        append.tallies[at - lists.t_command.indexOf(index + 1)] ?? {};
      return told({ kind: "tally-conflict", group: { kind, scope } });
    }
    case "claim-taken": {
      const { kind = "", scope = "", value = "" } = claims[at] ?? {};
      return told({ kind: "claim-taken", claim: { kind, scope, value } });
    }
    case "time-behind":
      return told({ kind: "time-behind" });
    case "quota-spent":
      if (plan.refused === undefined) throw new Error("no quota was planned to be spent");
      return told({ kind: "quota-spent", ...plan.refused });
    case "quota-stale":
      return { kind: "again" };
    case "not-held":
      return {
        kind: "wrong",
        explain: async () => notHeld(changes[Number(lists.l_change[at]) - 1], claims[at]),
      };
    case "other-owner":
      return { kind: "wrong", explain: (pool) => otherOwner(pool, changes[at]) };
  }
}

function eventsFrom(
  first: bigint,
  { actor, timeMs, changes }: Planned["append"],
): readonly RecordedEvent[] {
  let position = first - 1n;
  return changes.flatMap(({ stream, expected, owner, events }) =>
    events.map(({ type, payload }, i) => {
      position += 1n;
      const version = expected + 1 + i;
      return { position, stream, version, type, owner, actor, timeMs, payload };
    }),
  );
}

type ChangeOf = BatchColumns["changes"][number] | undefined;

function notHeld(change: ChangeOf, claim: BatchColumns["claims"][number] | undefined): Error {
  const key = claim === undefined ? "" : claimKey(claim);
  return new Error(`${change?.stream} does not hold the claim ${key} that it releases.`);
}

async function otherOwner(pool: Pool, change: ChangeOf): Promise<Error> {
  const { stream = "", owner = "" } = change ?? {};
  const [row] = await pool.query<{ owner: string }>(
    "SELECT owner FROM derived.objects WHERE stream = $1",
    [toStored(stream)],
  );
  return new Error(`${stream} belongs to ${row?.owner}, not to ${owner}.`);
}
