import type Database from "better-sqlite3";
import type { ListedColumns } from "../fields.ts";
import { prepareRows } from "../row.ts";
import { type Report, shown } from "./text.ts";

/** What lists should see under each parent, to be compared with `counts`; it lies in memory. */
export interface Tally {
  add(listed: Pick<ListedColumns, "kind" | "parent"> | undefined): void;
  /** Reports each number that is not what was added. */
  compare(report: Report): void;
}

/** Prepares everything that is read. */
export function prepareTally(db: Database.Database): Tally {
  const kept = prepareRows<[], CountColumns>(
    db,
    "SELECT kind, parent, objects FROM counts ORDER BY kind, parent",
  );
  const expected = new Map<string, bigint>();
  const keyOf = (kind: string, parent: string) => JSON.stringify([kind, parent]);
  return {
    add: (listed) => {
      if (listed === undefined || listed.kind === null) return;
      const key = keyOf(listed.kind, listed.parent ?? "");
      expected.set(key, (expected.get(key) ?? 0n) + 1n);
    },
    compare: (report) => {
      for (const { kind, parent, objects } of kept.all()) {
        const key = keyOf(kind, parent);
        const due = expected.get(key);
        expected.delete(key);
        if (due === undefined) report(`${nameOf(kind, parent)}: no event explains it`);
        else if (objects !== due) report(`${nameOf(kind, parent)}: it is ${objects}, not ${due}`);
      }
      for (const [key, due] of expected) {
        const [kind, parent]: readonly [string, string] = JSON.parse(key);
        report(`${nameOf(kind, parent)}: it is missing, and should be ${due}`);
      }
    },
  };
}

interface CountColumns {
  readonly kind: string;
  readonly parent: string;
  readonly objects: bigint;
}

function nameOf(kind: string, parent: string): string {
  return `count of ${shown(kind)} under ${shown(parent)}`;
}
