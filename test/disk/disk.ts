import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../harness/program.ts";

/**
 * The C compiler with which a disk that fails is made; undefined where there is none, or where
 * files are not opened as on Linux. The tests count as skipped then, and the run says so.
 */
export function findCompiler(): string | undefined {
  return process.platform === "linux" ? findProgram(["cc", "gcc", "clang"]) : undefined;
}

/** A disk that fails on demand, as far as a process with this environment writes a WAL to it. */
export interface Disk {
  readonly env: { readonly [name: string]: string };
  /** Lets calls fail from now on: what is written, or what is forced to the disk. */
  fail(call: "write" | "sync", error: keyof typeof constants.errno): Promise<void>;
  /** Lets all of them succeed again. */
  mend(): Promise<void>;
}

/** Makes the disk with files in the directory. */
export async function makeDisk(compiler: string, directory: string): Promise<Disk> {
  const [library, control] = [join(directory, "shim.so"), join(directory, "fault")];
  const source = join(import.meta.dirname, "shim.c");
  await promisify(execFile)(compiler, ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
  const set = (text: string) => writeFile(control, text);
  await set("");
  return {
    env: { LD_PRELOAD: library, IAM_FAULT: control },
    fail: (call, error) => set(`${call} ${constants.errno[error]}`),
    mend: () => set(""),
  };
}
