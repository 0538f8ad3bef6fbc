import { closeSync, openSync, writeSync } from "node:fs";

/** The journal of a disk: what shim.c records, and the marks of those who wait for answers. */

/** Something that was done to the files of a disk, in the order in which it was done. */
export type Operation =
  | { readonly kind: "write"; readonly inode: bigint; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly inode: bigint; readonly size: number }
  /** What is before this offset of the journal is on the disk, as far as it is in the file. */
  | { readonly kind: "sync"; readonly inode: bigint; readonly before: number }
  | { readonly kind: "sync-directory"; readonly path: string; readonly before: number }
  | { readonly kind: "create"; readonly inode: bigint; readonly path: string }
  | { readonly kind: "link" | "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "unlink" | "mkdir"; readonly path: string }
  /** Something that was known from here on, by its number. */
  | { readonly kind: "mark"; readonly number: number };

/** An operation, and the offset in the journal at which its record begins. */
export type Recorded = Operation & { readonly offset: number };

const headBytes = 24;
const kinds = [
  ...["", "write", "truncate", "sync", "sync-directory", "create", "link", "unlink", "rename"],
  ...["mkdir", "mark"],
];
const markKind = kinds.indexOf("mark");

/** Adds marks to the end of a journal that a process is writing to. */
export interface Marks {
  add(number: number): void;
  close(): void;
}

/** Opens the journal for marks. */
export function openMarks(journal: string): Marks {
  const file = openSync(journal, "a", 0o600);
  return {
    add: (number) => {
      const head = Buffer.alloc(headBytes);
      head.writeUInt32LE(markKind, 0);
      head.writeBigUInt64LE(BigInt(number), 16);
      writeSync(file, head);
    },
    close: () => closeSync(file),
  };
}

/** All of a journal. Throws where it is torn, since then it proves nothing. */
export function readJournal(journal: Buffer): readonly Recorded[] {
  const records: Recorded[] = [];
  for (let offset = 0; offset < journal.length; ) {
    if (journal.length - offset < headBytes) throw new Error("The journal ends within a record.");
    const size = journal.readUInt32LE(offset + 4);
    const end = offset + headBytes + size;
    if (end > journal.length) throw new Error("The journal ends within a record.");
    records.push({ offset, ...operationAt(journal, offset, end) });
    offset = end;
  }
  return records;
}

function operationAt(journal: Buffer, offset: number, end: number): Operation {
  const kind = kinds[journal.readUInt32LE(offset)];
  const inode = journal.readBigUInt64LE(offset + 8);
  const at = Number(journal.readBigUInt64LE(offset + 16));
  const bytes = journal.subarray(offset + headBytes, end);
  const [path = "", to = ""] = kind === "write" ? [] : bytes.toString().split("\0");
  switch (kind) {
    case "write":
      return { kind, inode, at, bytes };
    case "truncate":
      return { kind, inode, size: at };
    case "sync":
      return { kind, inode, before: at };
    case "sync-directory":
      return { kind, path, before: at };
    case "create":
      return { kind, inode, path };
    case "link":
    case "rename":
      return { kind, from: path, to };
    case "unlink":
    case "mkdir":
      return { kind, path };
    case "mark":
      return { kind, number: at };
    default:
      throw new Error(`The journal has a record of an unknown kind at ${offset}.`);
  }
}
