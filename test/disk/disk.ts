import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../harness/program.ts";

/**
 * The C compiler with which a disk that fails is made; undefined where there is none, or where
 * files are not opened as on Linux.
 */
export function findCompiler(): string | undefined {
  return process.platform === "linux" ? findProgram(["cc", "gcc", "clang"]) : undefined;
}

/** A disk that fails on demand, as far as a process with this environment uses it. */
export interface Disk {
  readonly env: { readonly [name: string]: string };
  /** Lets calls fail from now on: what is written, or what is forced to the disk. */
  fail(call: "write" | "sync", error: keyof typeof constants.errno, some?: Some): Promise<void>;
  /** Lets all of them succeed again. */
  mend(): Promise<void>;
}

/** Which of the calls fail. */
export interface Some {
  /** How many of a hundred; left out, all. */
  readonly percent?: number;
  /** How the names of the files end; left out, those of a WAL. */
  readonly files?: string;
}

/** Makes the disk with files in the directory. */
export async function makeDisk(compiler: string, directory: string): Promise<Disk> {
  const control = join(directory, "fault");
  const set = (text: string) => writeFile(control, text);
  await set("");
  return {
    env: { LD_PRELOAD: await makeShim(compiler, directory), IAM_FAULT: control },
    fail: (call, error, { percent = 100, files = "-wal" } = {}) =>
      set(`${call} ${constants.errno[error]} ${percent} ${files}`),
    mend: () => set(""),
  };
}

/** Where the journal of a disk goes, and the directory whose files it is about. */
export interface Journaled {
  readonly journal: string;
  readonly root: string;
}

/** The environment of a process that keeps a journal of what it does to files below the root. */
export async function makeJournal(
  compiler: string,
  directory: string,
  { journal, root }: Journaled,
): Promise<Disk["env"]> {
  const shim = await makeShim(compiler, directory);
  return { LD_PRELOAD: shim, IAM_JOURNAL: journal, IAM_JOURNAL_ROOT: root };
}

async function makeShim(compiler: string, directory: string): Promise<string> {
  const [library, source] = [join(directory, "shim.so"), join(import.meta.dirname, "shim.c")];
  const flags = ["-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"];
  await promisify(execFile)(compiler, [...flags, "-o", library, source, "-ldl"]);
  return library;
}
