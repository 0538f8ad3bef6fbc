import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import type { SizeName } from "./sizes.ts";

/** Where and when the numbers were taken; they mean little without. */
export interface Machine {
  readonly at: string;
  readonly commit: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly fileSystem: string;
  /** Processes that wanted to run before the bench did: more than none makes the numbers noisy. */
  readonly loadBefore: number;
}

const memoryFileSystems = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
]);

/**
 * Throws where the directory lies in memory, in which fsync costs nothing, unless the size is one
 * that only shows that everything works.
 */
export async function describeMachine(directory: string, size: SizeName): Promise<Machine> {
  const { type: magic } = await statfs(directory);
  const inMemory = memoryFileSystems.get(magic);
  if (inMemory !== undefined && size !== "smoke") {
    throw new Error(`${directory} lies on ${inMemory}, not on a disk: choose another with --dir`);
  }
  return {
    at: new Date().toISOString(),
    commit: commit(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    fileSystem: fileSystemOf(directory) ?? `type 0x${magic.toString(16)}`,
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** The type and the device of the mount that is nearest above the directory (Linux). */
function fileSystemOf(directory: string): string | undefined {
  try {
    const mounts = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, point = "-"]) => `${directory}/`.startsWith(point === "/" ? "/" : `${point}/`))
      .sort(([, a = ""], [, b = ""]) => a.length - b.length);
    const [device, , kind] = mounts.at(-1) ?? [];
    return kind && `${kind} on ${device}`;
  } catch {
    return undefined;
  }
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const changed = git("status", "--porcelain", "--", "../src", "../gen") !== "";
    return git("rev-parse", "--short", "HEAD") + (changed ? " with changes" : "");
  } catch {
    return "unknown";
  }
}
