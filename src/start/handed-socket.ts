import { ConfigError } from "../config/config.ts";

/** Where the first descriptor lies that is handed over (sd_listen_fds(3)). */
const firstDescriptor = 3;

/**
 * The descriptor of the listening socket that the program which started this process hands over, as
 * systemd does; undefined where none is for this process. Throws a ConfigError for more than one.
 */
export function handedSocket(
  environment: { readonly [name: string]: string | undefined },
  pid: number,
): number | undefined {
  const { LISTEN_PID: forPid, LISTEN_FDS: count = "0" } = environment;
  if (forPid !== String(pid) || count === "0") return undefined;
  if (count !== "1") {
    throw new ConfigError(`The service takes one listening socket, and LISTEN_FDS is ${count}.`);
  }
  return firstDescriptor;
}
