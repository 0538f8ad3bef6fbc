import { execFileSync } from "node:child_process";

/** Makes a named pipe, which nobody writes. */
export async function makePipe(path: string): Promise<void> {
  execFileSync("mkfifo", [path]);
}
