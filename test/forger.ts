// Forges what lies in a log, as one who may write all of it and has no key: while the service
// stands still, and while it runs, in a file and in PostgreSQL. It prints what becomes of each row,
// and ends with 1 where that is not what docs/chain.md says. Run it with "make forge"; words after
// "node test/forger.ts" choose the rows whose names contain one.
import { isAsDocumented, judge } from "./forger/judge.ts";
import { rowsOf } from "./forger/rows.ts";
import { onStage } from "./forger/stage.ts";
import { endProcessesAtSignals } from "./harness/process.ts";
// Says where temporary files go: in memory, where there is room.
import "../jest.config.js";

endProcessesAtSignals();
const words = process.argv.slice(2);
let wrong = 0;
for (const kind of ["file", "database"] as const) {
  const chosen = rowsOf(kind).filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  print(`\n${kind}: forged | start | without a head | running | verify | effect\n`);
  await onStage(kind, async (stage) => {
    for (const forgery of chosen) {
      const judged = await judge(kind, stage, forgery);
      const isRight = isAsDocumented(forgery, judged);
      wrong += isRight ? 0 : 1;
      const { start, bare, running, verify, effect } = judged;
      const said = effect ? (forgery.documented ? "yes (documented)" : "YES") : "no";
      const columns = [
        forgery.name,
        ...[start, bare, running].map((it) => it || "–"),
        verify,
        said,
      ];
      print(`${columns.join(" | ")}${isRight ? "" : "   <- not as docs/chain.md says"}\n`);
    }
  });
}
print(`${wrong === 0 ? "All as docs/chain.md says" : `${wrong} not as docs/chain.md says`}.\n`);
process.exit(wrong === 0 ? 0 : 1);

function print(text: string): void {
  process.stdout.write(text);
}
