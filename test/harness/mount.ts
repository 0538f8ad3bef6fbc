import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether file systems can be mounted here, as root can on Linux. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const directory = mkdtempSync(join(tmpdir(), "iam-mount-"));
  const isMounted = mount(directory, 1);
  if (isMounted) unmount(directory);
  rmdirSync(directory);
  return isMounted;
}

/** Mounts an empty file system of so many MiB on a directory; answers whether that went. */
export function mount(directory: string, megabytes: number): boolean {
  const args = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", directory];
  return spawnSync("mount", args).status === 0;
}

/** Takes it away, no matter who still has a file of it open. */
export function unmount(directory: string): void {
  spawnSync("umount", ["--lazy", directory]);
}
