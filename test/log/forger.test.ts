import { expect, test } from "@jest/globals";
import { isAsDocumented, judge } from "../forger/judge.ts";
import { rowsOf } from "../forger/rows.ts";
import { onStage } from "../forger/stage.ts";
import { patience } from "../harness/extent.ts";
import { findPostgres } from "../harness/postgres-programs.ts";

// What somebody may write who has no key, at rest and while the service runs: every sixth row of
// `test/forger.ts`, which prints what becomes of all.

const kinds = findPostgres() === undefined ? (["file"] as const) : (["file", "database"] as const);

test.each(kinds)(
  "what is forged in a %s comes to what docs/chain.md says",
  async (kind) => {
    const wrong: object[] = [];
    await onStage(kind, async (stage) => {
      for (const forgery of rowsOf(kind).filter((_row, index) => index % 6 === 0)) {
        const judged = await judge(kind, stage, forgery);
        if (!isAsDocumented(forgery, judged)) wrong.push({ name: forgery.name, ...judged });
      }
    });
    expect(wrong).toEqual([]);
  },
  patience * 100_000,
);
