import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A directory in memory, where there is one with a gigabyte of room, or on the disk. */
export function inMemory(): string {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize < 1 << 30 ? tmpdir() : "/dev/shm";
  } catch {
    return tmpdir();
  }
}
