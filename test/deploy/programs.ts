import { findProgram } from "../harness/program.ts";

/**
 * Programs that read the files of `deploy`, and the packages in which Debian has them. Tests count
 * as skipped where theirs is not there, and `test/runner/missing.ts` says so.
 */
const packages = {
  caddy: "caddy",
  haproxy: "haproxy",
  nginx: "nginx",
  promtool: "prometheus",
  strace: "strace",
  "systemd-analyze": "systemd",
  "systemd-socket-activate": "systemd",
} as const;

export type ProgramName = keyof typeof packages;

/** The program, be it where only root looks for programs; undefined for none. */
export function find(name: ProgramName): string | undefined {
  return findProgram([name], { PATH: `${process.env.PATH}:/usr/sbin` });
}

/** The packages of the programs that are not there. */
export function missingPackages(): readonly string[] {
  const names = Object.keys(packages) as ProgramName[];
  return [
    ...new Set(names.filter((name) => find(name) === undefined).map((name) => packages[name])),
  ];
}
