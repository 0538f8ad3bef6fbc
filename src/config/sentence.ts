import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import { Forged } from "../store/chain/forged.ts";
import { StoreUnavailable } from "../store/store.ts";
import { ConfigError } from "./config.ts";

/** What people are told where something failed: a sentence, or the whole of a defect. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = [ConfigError, FileUnusable, KeyringInvalid, StoreUnavailable];
  if (known.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof Forged)
    return `The event log was changed from outside: ${error.message}. ${mend}`;
  const { code = "" } = error as NodeJS.ErrnoException;
  const todo = disk.get(code);
  return todo === undefined ? (error.stack ?? error.message) : `${error.message}: ${todo}.`;
}

const mend =
  "If only rows are named, rebuild derives them again; otherwise restore the newest copy of " +
  "the log.";

const rights = "let the user of this process read and write there";

/** What to do, by what the system says of a disk or of a file on it. */
const disk: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "make room on the disk, then do it again"],
  ["EDQUOT", "make room within the quota of the disk, then do it again"],
  ["EFBIG", "the file exceeds a size limit here: raise the limit, or name another place"],
  ["EIO", "the disk fails: see the log of the system"],
  ["EROFS", "the disk is read-only: make it writable, or name another place"],
  ["EACCES", rights],
  ["EPERM", rights],
  ["ENOENT", "create it first"],
  ["ENOTDIR", "name another place"],
  ["EISDIR", "name a file"],
  ["EMFILE", "this process has too many files open: raise its limit"],
  ["ENFILE", "the system has too many files open: raise its limit"],
]);
